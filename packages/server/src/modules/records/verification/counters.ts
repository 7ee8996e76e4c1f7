import { hidden } from '../../access/index.ts'
import { counterDiscrepancies, listTotalsOf, linkCounter, privateCounter, publicCounter } from '../../counters/index.ts'
import type { Verification } from '../../../kernel/verification.ts'
import { isToMany, linkEndOf, type ObjectModel } from '../../objects/index.ts'
import { readSettledObjects, countLinksAt, countRecords, listRecordsAfter, type LinkCount } from './store.ts'

/** Verifies the counters of the live records of each object. */
export const recordCountVerification: Verification = {
  name: 'Record counts',
  isOfCounters: true,
  async verify(tx, { workspaceId, after = '', now }) {
    const keys = [...(await readSettledObjects(tx, workspaceId)).keys()].toSorted()
    const key = keys.find((one) => one > after)
    if (key === undefined) return { checked: 0, discrepancies: [] }
    const { total, shown, private: own } = await countRecords(tx, workspaceId, key, hidden)
    const actual = new Map([
      [key, total],
      [publicCounter(key), shown ?? 0],
      [privateCounter(key), own ?? 0],
    ])
    const stored = await listTotalsOf(tx, workspaceId, [...actual.keys()])
    return { checked: total, discrepancies: counterDiscrepancies(workspaceId, actual, stored, now), next: key }
  },
}

const portionRecords = 200

/** The ends at which records of an object may have many links, each with its relationship. */
const manyEnds = (object: ObjectModel) =>
  [...object.fields.values()].filter(isToMany).map((field) => linkEndOf(object, field))

/** Verifies the counters of the live links of each record. */
export const linkCountVerification: Verification = {
  name: 'Link counts',
  isOfCounters: true,
  async verify(tx, { workspaceId, after, now }) {
    const records = await listRecordsAfter(tx, workspaceId, after, portionRecords)
    const objects = await readSettledObjects(tx, workspaceId)
    const live = records.filter(({ deleted_at }) => deleted_at === null)
    const actual = new Map(
      live.flatMap(({ id, object: key }) => {
        const object = objects.get(key)
        const ends = object === undefined ? [] : manyEnds(object)
        return ends.map((end): [string, number] => [linkCounter(end, id), 0])
      }),
    )
    const relationships = [...objects.values()].flatMap(manyEnds).map(({ relationship }) => relationship)
    const ids = live.map(({ id }) => id)
    for (const end of ['from_id', 'to_id'] as const) {
      const counts: LinkCount[] = await countLinksAt(tx, workspaceId, end, relationships, ids)
      for (const { relationship, id, links } of counts) {
        const name = linkCounter({ relationship, end }, id)
        if (actual.has(name)) actual.set(name, links)
      }
    }
    const stored = await listTotalsOf(tx, workspaceId, [...actual.keys()])
    return {
      checked: records.length,
      discrepancies: counterDiscrepancies(workspaceId, actual, stored, now),
      next: records.length < portionRecords ? undefined : records.at(-1)?.id,
    }
  },
}
