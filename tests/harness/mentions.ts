import type { TestDatabase } from './database.ts'
import type { Json } from './http.ts'

/** Whom a comment mentions, as it is kept for notifications; no endpoint shows it yet. */
export const mentionsOf =
  (database: TestDatabase) =>
  async (commentId: string): Promise<Json> => {
    const [row] = await database.reader.query<{ mentions: Json }>(({ knex }) =>
      knex('comment').select('mentions').where('id', commentId),
    )
    return row?.mentions
  }
