/** Finds the links of an HTML e-mail, in a process of the pool. */
export { findLinks as run } from './link-places.ts'
