import { clsx } from 'clsx';
import { LoaderCircle } from 'lucide-react';
import Link from 'next/link';
import type { ComponentProps } from 'react';

const variants = {
  primary: 'bg-accent text-accent-ink shadow-control hover:bg-accent-hover',
  secondary: 'border border-line-strong/50 bg-surface text-ink shadow-control hover:bg-hover hover:border-line-strong',
  quiet: 'text-ink-muted hover:bg-hover hover:text-ink data-[state=open]:bg-hover data-[state=open]:text-ink',
  danger: 'bg-critical text-critical-fill-ink shadow-control hover:bg-critical-hover',
} as const;

const sizes = {
  sm: 'h-7 gap-1.5 px-2 text-xs [&_svg]:size-3.5',
  md: 'h-8 gap-2 px-3 text-sm [&_svg]:size-4',
  lg: 'h-10 gap-2 px-4 text-base [&_svg]:size-4',
  icon: 'size-8 justify-center [&_svg]:size-4',
  'icon-sm': 'size-7 justify-center [&_svg]:size-3.5',
} as const;

interface Look {
  variant?: keyof typeof variants;
  size?: keyof typeof sizes;
  /** For its place in a layout; how it looks is `variant` and `size`. */
  className?: string;
}

function look({ variant = 'secondary', size = 'md', className }: Look): string {
  return clsx(
    'relative inline-flex shrink-0 select-none items-center justify-center whitespace-nowrap rounded-md font-medium',
    'transition-colors duration-100 pointer-coarse:min-h-10 pointer-coarse:min-w-10',
    'disabled:pointer-events-none disabled:opacity-50 aria-disabled:opacity-50 aria-disabled:shadow-none',
    '[&_svg]:shrink-0',
    variants[variant],
    sizes[size],
    className,
  );
}

interface ButtonProps extends ComponentProps<'button'>, Look {
  className?: string;
  /** At work: keeps its place and its focus, shows a spinner and takes no second press. */
  pending?: boolean;
}

export function Button(props: ButtonProps) {
  const { variant, size, className, pending = false, type = 'button', children, onClick, ...rest } = props;
  return (
    <button
      type={type}
      className={look({ variant, size, className })}
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
export function ButtonLink({ variant, size, className, ...rest }: ComponentProps<typeof Link> & Look) {
  return <Link className={look({ variant, size, className })} {...rest} />;
}
