/** Of random histories and matrices, every run takes a sample; `npm run test:long` takes all. */
export const isLong = Boolean(process.env.TEST_LONG);

/** How often a random property is tried. */
export const runs = (usual: number, all: number): number => (isLong ? all : usual);

/** Every nth item, so that a sample has some of each kind. */
export const sampleOf = <Item>(items: readonly Item[], nth: number): readonly Item[] =>
  isLong ? items : items.filter((_, index) => index % nth === 0);
