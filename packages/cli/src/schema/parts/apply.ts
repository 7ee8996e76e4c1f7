import type { Connected } from '../../connection.ts'
import { say } from '../../output.ts'
import type { CreateOptions, Item, Part } from './part.ts'
import {
  awaitedBy,
  differencesOf,
  idsFor,
  comparisonsOf,
  withoutFile,
  type PartFiles,
  type Comparison,
} from './plan.ts'

/**
 * Gives a workspace what the files of some parts describe. Each item is compared again before it is changed, so that
 * running it again after an interruption continues.
 */
export async function applyParts(
  connected: Connected,
  all: readonly PartFiles[],
  options: CreateOptions,
): Promise<void> {
  for (const files of all) {
    const read = async () =>
      comparisonsOf(files, await files.part.list(connected), {
        ids: await idsFor(connected, files),
        awaited: awaitedBy(all),
      })
    const missing = (await read()).filter(({ item }) => item === undefined)
    for (const { content } of missing) await files.part.create(connected, content, options)
    const created = new Set(missing.map(({ file }) => file.name))
    for (const wanted of await read()) await settle(connected, files.part, { wanted, created })
  }
}

type Settled = { readonly wanted: Comparison; readonly created: ReadonlySet<string> }

/** Changes an item where it still differs from its file. */
async function settle(connected: Connected, part: Part, { wanted, created }: Settled): Promise<void> {
  const { file, content, item } = wanted
  const changed = new Set(differencesOf(wanted).flatMap(({ path: [name] }) => name ?? []))
  if (item !== undefined && changed.size > 0) await part.update(connected, item, { content, changed })
  if (created.has(file.name)) say(`Created the ${part.noun} ${file.shownName}.`)
  else if (changed.size > 0) say(`Changed the ${part.noun} ${file.shownName}.`)
}

/** Removes what no file describes, the parts that refer to others first. */
export async function pruneParts(connected: Connected, all: readonly PartFiles[]): Promise<void> {
  for (const files of all.toReversed())
    for (const item of withoutFile(files, await files.part.list(connected)))
      await removeItem(connected, files.part, item)
}

async function removeItem(connected: Connected, part: Part, item: Item): Promise<void> {
  await part.remove(connected, item)
  say(`Deleted the ${part.noun} ${item.shownName ?? item.name}.`)
}
