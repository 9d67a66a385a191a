import { notFound } from 'next/navigation';

/** An address that no page has is answered inside the project: its navigation is the way on. */
export default function Missing() {
  notFound();
}
