/** The first accounts of the platform that browser tests use. */
export const administrator = { email: 'admin@nephele.local', password: 'correct horse battery staple' };
export const owner = { email: 'owner@demo.nephele.local', password: 'every good boy does fine' };
