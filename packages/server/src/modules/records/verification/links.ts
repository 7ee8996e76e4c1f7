import type { ReadTx, Tx } from '../../../db/tx.ts'
import type { Discrepancy, Verification } from '../../../kernel/verification.ts'
import { linkEndOf, relationshipFields, type LinkRow, type ObjectModel } from '../../objects/index.ts'
import { linkRows } from '../write/side-rows.ts'
import { readSettledObjects, listLinksAfter, listRecordsAfter, listStored, type StoredRecord } from './store.ts'
import { listLiveLinks } from '../store.ts'

const portionRows = 500

const textOf = ({ relationship, from_id, to_id }: LinkRow): string => `${relationship} from ${from_id} to ${to_id}`

const dropLink =
  (workspaceId: string, { relationship, from_id, to_id }: LinkRow) =>
  (tx: Tx): Promise<void> =>
    tx.deleteByKey('link', [{ workspace_id: workspaceId, relationship, from_id, to_id }])

/** Hides a link for a record that is deleted, and stays so until the commit. */
async function hideLink(tx: Tx, workspaceId: string, link: LinkRow, hidden_by: string): Promise<void> {
  const [record] = await listStored(tx, workspaceId, [hidden_by], true)
  if (record === undefined || record.deleted_at === null) return
  const { relationship, from_id, to_id } = link
  await tx.updateByKey(
    'link',
    ['workspace_id', 'relationship', 'from_id', 'to_id'],
    [{ workspace_id: workspaceId, relationship, from_id, to_id, hidden_by }],
  )
}

/** The relationships of the schemas: links of one that was dropped stay until a job deletes them. */
async function knownRelationships(tx: ReadTx, workspaceId: string): Promise<ReadonlySet<string>> {
  const objects = [...(await readSettledObjects(tx, workspaceId)).values()]
  return new Set(
    objects.flatMap((object) => relationshipFields(object).map((field) => linkEndOf(object, field).relationship)),
  )
}

/** Verifies that links have both ends, and that no live link leads to a deleted record. */
export const linkVerification: Verification = {
  name: 'Links',
  async verify(tx, { workspaceId, after }) {
    const links = await listLinksAfter(tx, workspaceId, after?.split('\n'), portionRows)
    const known = await knownRelationships(tx, workspaceId)
    const ids = [...new Set(links.flatMap(({ from_id, to_id }) => [from_id, to_id]))]
    const records = new Map((await listStored(tx, workspaceId, ids)).map((record) => [record.id, record]))
    const discrepancies = links
      .filter(({ relationship }) => known.has(relationship))
      .flatMap((link): Discrepancy[] => {
        const ends = [link.from_id, link.to_id]
        const lost = ends.find((id) => !records.has(id))
        if (lost !== undefined)
          return [{ detail: `link ${textOf(link)}: there is no record ${lost}`, repair: dropLink(workspaceId, link) }]
        const gone = ends.find((id) => records.get(id)?.deleted_at !== null)
        if (link.hidden_by !== null || gone === undefined) return []
        const detail = `link ${textOf(link)} is shown, but record ${gone} is deleted`
        return [{ detail, repair: (write) => hideLink(write, workspaceId, link, gone) }]
      })
    const last = links.at(-1)
    const isLast = last === undefined || links.length < portionRows
    return {
      checked: links.length,
      discrepancies,
      next: isLast ? undefined : [last.relationship, last.from_id, last.to_id].join('\n'),
    }
  },
}

const referencesOf = (object: ObjectModel): string[] =>
  object.references.map((field) => linkEndOf(object, field).relationship)

/** The links that a live record's to-one references lack, and those that lead elsewhere. */
async function linkDifferences(tx: ReadTx, workspaceId: string, object: ObjectModel, records: readonly StoredRecord[]) {
  const ids = records.map(({ id }) => id)
  const stored = await listLiveLinks(tx, workspaceId, referencesOf(object), 'from_id', ids)
  const expected = records.flatMap((record) => linkRows(workspaceId, object, { ...record, path: [] }))
  const [there, wanted] = [new Set(stored.map(textOf)), new Set(expected.map(textOf))]
  return {
    missing: expected.filter((link) => !there.has(textOf(link))),
    wrong: stored.filter((link) => !wanted.has(textOf(link))),
  }
}

/** Gives a record the links of its to-one references. */
async function relink(tx: Tx, workspaceId: string, object: ObjectModel, id: string): Promise<void> {
  const [record] = await listStored(tx, workspaceId, [id], true)
  if (record === undefined || record.deleted_at !== null) return
  const { missing, wrong } = await linkDifferences(tx, workspaceId, object, [record])
  for (const link of wrong) await dropLink(workspaceId, link)(tx)
  await tx.insertNew('link', missing, ['from_id'])
}

async function referenceDiscrepancies(
  tx: ReadTx,
  workspaceId: string,
  object: ObjectModel,
  records: readonly StoredRecord[],
): Promise<Discrepancy[]> {
  if (object.references.length === 0) return []
  const { missing, wrong } = await linkDifferences(tx, workspaceId, object, records)
  const found = (link: LinkRow, detail: string): Discrepancy => ({
    detail,
    repair: (write) => relink(write, workspaceId, object, link.from_id),
  })
  return [
    ...missing.map((link) =>
      found(link, `${object.name} ${link.from_id} has no link for its reference ${textOf(link)}`),
    ),
    ...wrong.map((link) => found(link, `link ${textOf(link)}: the record refers to another record or to none`)),
  ]
}

/** Verifies that the to-one references of live records have their links, and these nothing else. */
export const referenceVerification: Verification = {
  name: 'References',
  async verify(tx, { workspaceId, after }) {
    const records = await listRecordsAfter(tx, workspaceId, after, portionRows)
    const objects = await readSettledObjects(tx, workspaceId)
    const live = records.filter(({ deleted_at }) => deleted_at === null)
    const discrepancies: Discrepancy[] = []
    for (const [key, some] of Map.groupBy(live, ({ object }) => object)) {
      const object = objects.get(key)
      if (object !== undefined) discrepancies.push(...(await referenceDiscrepancies(tx, workspaceId, object, some)))
    }
    return {
      checked: records.length,
      discrepancies,
      next: records.length < portionRows ? undefined : records.at(-1)?.id,
    }
  },
}
