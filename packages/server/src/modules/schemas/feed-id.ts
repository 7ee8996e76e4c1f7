import { derivedId } from '../../kernel/ids.ts'

/** The id under which a schema stands in the feeds, by the key of its object; one that is made anew has another. */
export const schemaFeedId = (workspaceId: string, objectKey: string): string =>
  derivedId(workspaceId, 'schema', objectKey)
