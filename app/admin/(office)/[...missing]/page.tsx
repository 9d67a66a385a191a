import { notFound } from 'next/navigation';

/** An address that no page has is answered inside the back office, for whoever may be there. */
export default function Missing() {
  notFound();
}
