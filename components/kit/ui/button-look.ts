import { clsx } from 'clsx';

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

export interface ButtonLook {
  variant?: keyof typeof variants;
  size?: keyof typeof sizes;
  /** For its place in a layout; how it looks is `variant` and `size`. */
  className?: string;
}

/** The classes of a button, for what must stay light or is another element. */
export function buttonLook({ variant = 'secondary', size = 'md', className }: ButtonLook): string {
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
