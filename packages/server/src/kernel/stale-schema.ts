/**
 * The schemas that a request worked with are no longer those of the workspace: nothing was written, and it is run again
 * with those of now.
 */
export class StaleSchema extends Error {
  override readonly name = 'StaleSchema'
  constructor() {
    super('The schemas of the workspace have changed meanwhile')
  }
}
