import type { Connected } from '../connection.ts'
import { CommandFailed } from '../errors.ts'
import type { Folder } from './folder.ts'
import { applyObjects, deleteObjects } from './objects-apply.ts'
import { planObjects, type ObjectPlan, type Pruning } from './objects-plan.ts'
import { applyParts, pruneParts } from './parts/apply.ts'
import type { CreateOptions } from './parts/part.ts'
import { planParts, type ItemPlan } from './parts/plan.ts'

/** The changes that applying a folder would make. `kept` has no file, and stays. */
export type FolderPlan = {
  readonly objects: readonly ObjectPlan[]
  readonly items: readonly ItemPlan[]
  readonly kept: readonly string[]
}

/** Compares a folder with a workspace. */
export async function planFolder(connected: Connected, { objects, parts }: Folder, pruning: Pruning) {
  const none = { objects: [], kept: [] }
  const ofObjects = objects.length === 0 ? none : await planObjects(connected, objects, pruning)
  const { items, kept } = await planParts(connected, parts, pruning)
  return { objects: ofObjects.objects, items, kept: [...ofObjects.kept, ...kept] } satisfies FolderPlan
}

/** Changes a workspace as planned, until nothing differs from the files. */
export async function applyFolder(
  connected: Connected,
  folder: Folder,
  { plan, showsSecrets, ...pruning }: Pruning & CreateOptions & { readonly plan: FolderPlan },
): Promise<void> {
  await applyObjects(connected, folder.objects, plan)
  await applyParts(connected, folder.parts, { showsSecrets })
  if (pruning.prune) await pruneParts(connected, folder.parts)
  await deleteObjects(connected, plan)
  const left = namesIn(await planFolder(connected, folder, pruning))
  if (left.length > 0)
    throw new CommandFailed(`These still differ: ${left.join(', ')}. "kontor schema plan" shows how.`)
}

/** The names of what a plan changes. */
export const namesIn = ({ objects, items }: FolderPlan): string[] => [
  ...objects.map(({ object }) => object),
  ...items.map(({ part, name }) => `${part} ${name}`),
]

/** The names of what a plan deletes, and of objects whose values it loses or whose lists and workflows it breaks. */
export const lossesIn = ({ objects, items }: FolderPlan): string[] => [
  ...objects
    .filter(({ lost, breaks }) => lost.length + breaks.lists.length + breaks.workflows.length > 0)
    .map(({ object }) => object),
  ...items.filter(({ action }) => action === 'delete').map(({ part, name }) => `${part} ${name}`),
]
