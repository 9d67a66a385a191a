/** One of several values to choose from. */
export interface Option {
  value: string;
  label: string;
  /** A second line that helps to choose. */
  description?: string;
  /** Why it can't be chosen now. */
  disabledReason?: string;
  /** In long lists: the name under which it stands. */
  group?: string;
}
