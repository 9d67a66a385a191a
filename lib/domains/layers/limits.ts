/** The largest archive of a version, as it is sent (section 6 of the design). */
export const ARCHIVE_BYTES = 50_000_000;

/** The most that the files of a version take together, unpacked. */
export const CONTENT_BYTES = 250 * 1024 ** 2;

/** The most files and folders of a version. */
export const CONTENT_FILES = 30_000;

/** The most requirements that a version names. */
export const MOST_REQUIREMENTS = 50;

/** Layers that one function uses at most. */
export const MOST_LAYERS = 5;
