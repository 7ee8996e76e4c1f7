import type { Change } from '@kontor/contract'
import type { Connected } from '../../connection.ts'
import { CommandFailed } from '../../errors.ts'
import { differences } from './compare.ts'
import type { FileItem } from './files.ts'
import type { Content, Item, Part } from './part.ts'
import { namesIds, readIds, referenceTo, resolved, type Ids, variablesIn } from './references.ts'

/** A part of a folder: what its files describe. */
export type PartFiles = { readonly part: Part; readonly files: readonly FileItem[] }

/** The change that applying a file would make, or the removal of something that has no file. */
export type ItemPlan = {
  readonly part: string
  readonly name: string
  readonly action: 'create' | 'change' | 'delete'
  readonly changes: readonly Change[]
}

export type PartsPlan = { readonly items: readonly ItemPlan[]; readonly kept: readonly string[] }

/** The content that a file requires, and the item that it describes; undefined if that is to be created. */
export type Comparison = { readonly file: FileItem; readonly content: Content; readonly item: Item | undefined }

/** Compares the files of some parts with a workspace. */
export async function planParts(
  connected: Connected,
  all: readonly PartFiles[],
  { prune }: { readonly prune?: true | undefined },
): Promise<PartsPlan> {
  const items: ItemPlan[] = []
  const kept: string[] = []
  for (const files of all) {
    const ids = await idsFor(connected, files)
    const found = await files.part.list(connected)
    items.push(
      ...comparisonsOf(files, found, { ids, awaited: awaitedBy(all) }).flatMap((one) => planOf(files.part, one)),
    )
    const without = withoutFile(files, found)
    if (prune) items.push(...without.map((one) => removalOf(files.part, one)))
    else kept.push(...without.map((one) => `${files.part.noun} ${one.shownName ?? one.name}`))
  }
  return { items, kept }
}

/** The ids that the files refer to; none are read if they refer to nothing. */
export const idsFor = async (connected: Connected, { files }: PartFiles): Promise<Ids> =>
  files.some(({ content }) => namesIds(content)) ? readIds(connected) : new Map()

/** References to everything that the files describe, and may create. */
export const awaitedBy = (all: readonly PartFiles[]): ReadonlySet<string> =>
  new Set(all.flatMap(({ part, files }) => files.map(({ name }) => referenceTo(part.name, name) ?? '')))

type Names = { readonly ids: Ids; readonly awaited: ReadonlySet<string> }

/** Resolves and checks the files of a part, and finds what each of them stands for. */
export const comparisonsOf = ({ part, files }: PartFiles, found: readonly Item[], names: Names): Comparison[] =>
  files.map((file) => {
    const given = resolved(file.content, { path: file.path, ...names })
    const faults = part.shape.safeParse(given).error?.issues ?? []
    if (faults.length > 0)
      throw new CommandFailed(
        faults.map(({ path, message }) => `${file.path}: ${path.join('.') || file.shownName}: ${message}`).join('\n'),
      )
    const item = itemFor(part, file, found)
    const content = { ...part.defaults, ...(part.normal?.(given) ?? given) }
    const fixed = part.fixed?.find((name) => item !== undefined && item.content[name] !== content[name])
    if (fixed !== undefined)
      throw new CommandFailed(`${file.path}: "${fixed}" of a ${part.noun} cannot be changed. Use another name for it.`)
    return { file, content, item }
  })

function itemFor(
  { noun }: Part,
  { path, name, shownName, before }: FileItem,
  found: readonly Item[],
): Item | undefined {
  const [item, other] = found.filter((one) => one.name === name)
  if (other)
    throw new CommandFailed(
      `${path}: the workspace has several of the ${noun} "${shownName}". Rename all but one of them.`,
    )
  return item ?? (before === undefined ? undefined : found.find((one) => one.name === before))
}

/** The attributes that differ from what is there. */
export const differencesOf = ({ content, item }: Comparison): Change[] => differences(item?.content ?? {}, content)

function planOf(part: Part, wanted: Comparison): ItemPlan[] {
  const changes = differencesOf(wanted).map((change) => (isSecret(part, wanted, change) ? hidden(change) : change))
  const action = wanted.item === undefined ? 'create' : 'change'
  return changes.length === 0 ? [] : [{ part: part.name, name: wanted.file.shownName, action, changes }]
}

/** Returns whether a change is of a secret: plans are printed, and kept in the logs of jobs. */
function isSecret({ secretsOf }: Part, { file, content }: Comparison, { path: [name = ''] }: Change): boolean {
  const given = JSON.stringify(file.content[name]) ?? ''
  return variablesIn(given).length > 0 || (secretsOf?.(content) ?? []).includes(name)
}

const hiddenValue = '(hidden)'

const hidden = ({ val, oldVal, ...change }: Change): Change => ({
  ...change,
  ...(val !== undefined && { val: hiddenValue }),
  ...(oldVal !== undefined && { oldVal: hiddenValue }),
})

/** The items of a workspace that no file describes. */
export const withoutFile = ({ files }: PartFiles, found: readonly Item[]): Item[] =>
  found.filter(
    ({ name, isUnmanaged }) => !isUnmanaged && !files.some((one) => one.name === name || one.before === name),
  )

const removalOf = ({ name: part }: Part, { name, shownName = name }: Item): ItemPlan => ({
  part,
  name: shownName,
  action: 'delete',
  changes: [],
})
