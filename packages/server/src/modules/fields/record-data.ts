/** The stored values of a record, by the key of their field. */
export type RecordData = Readonly<Record<string, unknown>>

/**
 * Member of a document that is not a field: the ids that were merged into its record. Few records have any, so it is
 * not a column.
 */
export const mergedIdsKey = '_merged_ids'
