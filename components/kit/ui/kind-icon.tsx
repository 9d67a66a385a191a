/// <reference types="next/image-types/global" />
import type { ComponentType, SVGProps } from 'react';
import sprite from './kind-icons.svg';

/** A picture that takes the size and the color of its text. */
export type IconComponent = ComponentType<Pick<SVGProps<SVGSVGElement>, 'className' | 'aria-hidden'>>;

/**
 * The icon of a kind of resource, by its name at Lucide. Every page shows those of the whole navigation: their drawings
 * are one cached file, `kind-icons.svg`, instead of a part of each page's scripts.
 */
export function kindIcon(name: string): IconComponent {
  return function KindIcon(props) {
    return (
      <svg
        width="24"
        height="24"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
        {...props}
        aria-hidden="true"
      >
        <use href={`${sprite.src}#${name}`} />
      </svg>
    );
  };
}
