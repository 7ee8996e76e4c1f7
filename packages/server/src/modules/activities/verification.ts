import type { Verification } from '../../kernel/verification.ts'
import { listFeedEnds, updateFeedEnds, type FeedEnd } from '../feeds/index.ts'
import { readSchemas } from '../schemas/index.ts'
import { listActivityHeads, type HeadRow } from './heads/store.ts'
import { moveActivities } from './moves/store.ts'
import type { Dependent } from '../records/index.ts'
import { deleteActivities } from './store.ts'

export const activitiesOfRecords: Dependent = {
  async move({ tx, workspace }, fromIds, toId) {
    await moveActivities(tx, workspace.workspaceId, fromIds, toId)
    return []
  },
  purge: deleteActivities,
}

const portionRecords = 200

/** Returns whether the next event of a record gets the place behind its last one. */
const isEnd = ({ top, open }: FeedEnd, rows: readonly HeadRow[]): boolean =>
  top === (rows[0]?.top ?? 0) &&
  open.every(
    ({ position, place }) =>
      place === Math.max(...rows.map((row) => (row.position === position ? (row.place ?? 0) : 0))),
  )

/** Verifies that the end of each feed in the row of its record is that of the feed. */
export const feedEndVerification: Verification = {
  name: 'Ends of feeds',
  async verify(tx, { workspaceId, after }) {
    const records = await listFeedEnds(tx, workspaceId, after, portionRecords)
    const { schemas } = await readSchemas(tx, workspaceId)
    const objects = new Set([...schemas.values()].map(({ keys }) => keys.object))
    // Records of an object that is gone lose their activities before they go themselves.
    const kept = records.filter(({ object }) => objects.has(object))
    const ids = kept.map(({ id }) => id)
    const heads = Map.groupBy(await listActivityHeads(tx, workspaceId, ids, 0), ({ record_id }) => record_id)
    const wrong = kept.filter(({ id, feed_end }) => !isEnd(feed_end, heads.get(id) ?? []))
    return {
      checked: records.length,
      discrepancies: wrong.map(({ id, object }) => ({
        detail: `the end of the feed of ${object} ${id} is not that of its activities`,
        // Locked by the update: the next event finds the end in the feed.
        repair: (write) => updateFeedEnds(write, workspaceId, [[id, null]]),
      })),
      next: records.length < portionRecords ? undefined : records.at(-1)?.id,
    }
  },
}
