import type { WorkspaceReadContext, WriteContext } from '../../../kernel/implement.ts'
import { isId } from '../../../kernel/ids.ts'
import { resource } from '../../../kernel/resource.ts'
import type { KeyRing } from '../../../lib/key-ring.ts'
import {
  kindOf,
  requireChangeable,
  requireCharge,
  updateWorkflow,
  type Workflow,
  type WorkflowRow,
} from '../../definitions/index.ts'
import type { WorkflowKinds } from '../../runs/index.ts'

/** The keys that sign addresses, and the kinds of workflows that have them. */
export type AddressServices = { readonly keys: KeyRing; readonly kinds: WorkflowKinds }

const purpose = 'workflow.address'

type Addressed = Pick<WorkflowRow, 'id' | 'address_rotation'>

/** Returns the last part of an address: the id, as the specification says, until its owner wants another. */
const endingOf = (keys: KeyRing, { id, address_rotation: rotation }: Addressed): string =>
  rotation === 0 ? id : keys.sign(Buffer.from(`${id}/${rotation}`), purpose)

/** Of what an address with this ending is, and which of its addresses; undefined of what we did not sign. */
export function readEnding(keys: KeyRing, ending: string): Addressed | undefined {
  if (isId(ending)) return { id: ending, address_rotation: 0 }
  const [id = '', rotation] = keys.verify(ending, purpose)?.toString().split('/') ?? []
  return isId(id) ? { id, address_rotation: Number(rotation) } : undefined
}

/** Answers the address of a workflow to its owner and admins. */
export function getAddress(
  ctx: WorkspaceReadContext<'forbidden'>,
  { keys, kinds }: AddressServices,
  { row }: Workflow,
) {
  requireCharge(ctx, row)
  return answer(ctx, { keys, kinds }, row)
}

/** Replaces the address: what is sent to the one before is taken no more. */
export async function rotateAddress(ctx: WriteContext, services: AddressServices, { row: { id } }: Workflow) {
  const { row } = await requireChangeable(ctx, id)
  const rotated = { address_rotation: row.address_rotation + 1 }
  await updateWorkflow(ctx.tx, ctx.workspace.workspaceId, id, rotated)
  return answer(ctx, services, { ...row, ...rotated })
}

function answer({ baseUrl, workspace }: WorkspaceReadContext, { keys, kinds }: AddressServices, row: WorkflowRow) {
  const { collection = 'workflows' } = kindOf(kinds, row.type).ownOperations ?? {}
  const url = `${baseUrl}/webhooks/${collection}/${workspace.slug}/${endingOf(keys, row)}`
  return { body: { data: resource('automation-address', row.id, { url }) } }
}
