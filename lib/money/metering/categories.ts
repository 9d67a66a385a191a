export const categories = ['compute', 'storage', 'network', 'databases', 'functions', 'ai'] as const;
export type Category = (typeof categories)[number];

/** Display names of the cost categories, for pages, the API and invoices. */
export const categoryNames: Readonly<Record<Category, string>> = {
  compute: 'Compute',
  storage: 'Storage',
  network: 'Network',
  databases: 'Databases',
  functions: 'Functions',
  ai: 'AI',
};

/** Headings of invoice lines: a service, or amounts carried over from earlier invoices. */
export const invoiceHeadings: Readonly<Record<string, string>> = { ...categoryNames, carried_over: 'Earlier invoices' };
