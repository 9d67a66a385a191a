import { lazyComponent } from '@/components/kit/ui/lazy-component';

/** The price card of a form, loaded after the page, which would weigh too much with it. */
export const Price = lazyComponent(() => import('./price').then((module) => module.Price));
