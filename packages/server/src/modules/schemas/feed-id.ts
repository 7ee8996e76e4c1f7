import { derivedId } from '../../kernel/ids.ts'

/** The id of a schema in the feeds, derived from the key of its object; an object that is created anew has another. */
export const schemaFeedId = (workspaceId: string, objectKey: string): string =>
  derivedId(workspaceId, 'schema', objectKey)
