import { explaining } from '../../packages/server/src/db/explaining.ts'
import { listLeaving } from '../../packages/server/src/modules/lists/evaluate/store.ts'
import { subjectOf } from '../../packages/server/src/modules/lists/evaluate/subject.ts'
import { findList } from '../../packages/server/src/modules/lists/store.ts'
import { machineClock } from './clock.ts'
import { openAt } from './database.ts'

type Place = { readonly url: string; readonly workspaceId: string }

/** How a database finds the entries of a list that its query no longer selects. */
export async function planOfLeaving({ url, workspaceId }: Place, listId: string): Promise<string> {
  const database = openAt(url)
  try {
    const list = await findList(database.reader, workspaceId, listId)
    const subject = list && (await subjectOf(database.reader, workspaceId, list, machineClock.now()))
    if (subject === undefined) throw new Error(`There is no list ${listId}`)
    const { tx, explained } = explaining(database.reader)
    await listLeaving(tx, subject, 10)
    return (await explained()).flatMap(({ steps }) => steps).join('\n')
  } finally {
    await database.close()
  }
}
