/** Normal runs take a sample of random histories and matrices; `npm run test:long` takes all. */
export const isLong = Boolean(process.env.TEST_LONG);

/** The number of tries of a random property. */
export const runs = (usual: number, all: number): number => (isLong ? all : usual);

/** Every nth item, so that a sample has some of each kind. */
export const sampleOf = <Item>(items: readonly Item[], nth: number): readonly Item[] =>
  isLong ? items : items.filter((_, index) => index % nth === 0);
