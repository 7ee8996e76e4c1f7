/** Reads a message, in a process of the pool. */
export { readMessage as run } from './read.ts'
