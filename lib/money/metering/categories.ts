export const categories = ['compute', 'storage', 'network', 'databases', 'functions', 'ai'] as const;
export type Category = (typeof categories)[number];

/** The services that costs are told by, as people read them: on pages, in the API and on invoices. */
export const categoryNames: Readonly<Record<Category, string>> = {
  compute: 'Compute',
  storage: 'Storage',
  network: 'Network',
  databases: 'Databases',
  functions: 'Functions',
  ai: 'AI',
};

/** The heading of an invoice's lines: a service, or what an earlier invoice was too small to charge. */
export const invoiceHeadings: Readonly<Record<string, string>> = { ...categoryNames, carried_over: 'Earlier invoices' };
