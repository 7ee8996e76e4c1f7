/**
 * The schemas that a request worked with are outdated: nothing was written, and the request runs again with the current
 * ones.
 */
export class StaleSchema extends Error {
  override readonly name = 'StaleSchema'
  constructor() {
    super('The schemas of the workspace have changed meanwhile')
  }
}
