import { LoaderCircle } from 'lucide-react';
import Link from 'next/link';
import type { ComponentProps } from 'react';
import { type ButtonLook, buttonLook } from './button-look';

interface ButtonProps extends ComponentProps<'button'>, ButtonLook {
  className?: string;
  /** At work: keeps its place and its focus, shows a spinner and takes no second press. */
  pending?: boolean;
}

export function Button(props: ButtonProps) {
  const { variant, size, className, pending = false, type = 'button', children, onClick, ...rest } = props;
  return (
    <button
      type={type}
      className={buttonLook({ variant, size, className })}
      aria-busy={pending || undefined}
      aria-disabled={pending || undefined}
      onClick={pending ? (event) => event.preventDefault() : onClick}
      {...rest}
    >
      {pending ? (
        <>
          <span className="absolute inset-0 grid place-items-center">
            <LoaderCircle className="animate-spin" aria-hidden="true" />
          </span>
          <span className="inline-flex items-center gap-2 opacity-0">{children}</span>
        </>
      ) : (
        children
      )}
    </button>
  );
}

/** What leads somewhere is a link, also when it looks like a button. */
export function ButtonLink({ variant, size, className, ...rest }: ComponentProps<typeof Link> & ButtonLook) {
  return <Link className={buttonLook({ variant, size, className })} {...rest} />;
}
