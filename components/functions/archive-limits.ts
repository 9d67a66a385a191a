/** Largest archive of a function (services.md, section 6). */
export const ARCHIVE_BYTES = 50 * 1024 ** 2;

export const ARCHIVE_HINT =
  'Up to 50 MB, and 250 MB unpacked. Links, encrypted entries and paths with “..” are refused.';
