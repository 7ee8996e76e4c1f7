import type { ReadTx } from '../../../db/tx.ts'
import type { FoundAddress } from '../../../kernel/implement.ts'
import type { KeyRing } from '../../../lib/key-ring.ts'
import { findWorkspace } from '../../workspaces/index.ts'
import { findWorkflow, kindOf, type Workflow } from '../../definitions/index.ts'
import { optionsOf, type InboundOptions } from '../../plugins/index.ts'
import { readEnding, type AddressServices } from './address.ts'

/** The two segments of an address. */
export type Address = { readonly workspace: string; readonly ending: string }

/** An enabled workflow whose address is in force. */
export type Found = { readonly workspaceId: string; readonly workflow: Workflow }
export type FoundWorkflow = Found & { readonly options: InboundOptions }

async function findEnabled(
  tx: ReadTx,
  keys: KeyRing,
  { workspace: slug, ending }: Address,
): Promise<Found | undefined> {
  // An address that we have not signed belongs to no workflow, and costs no query.
  const named = readEnding(keys, ending)
  const workspace = named && (await findWorkspace(tx, slug))
  const workflow = workspace && (await findWorkflow(tx, workspace.id, named.id))
  const isInForce = workflow?.row.enabled === true && workflow.row.address_rotation === named?.address_rotation
  return workspace && workflow && isInForce ? { workspaceId: workspace.id, workflow } : undefined
}

/** Finds a workflow that takes what is sent to it, and what it requires of the sender. */
export async function findOpenWorkflow(
  tx: ReadTx,
  keys: KeyRing,
  address: Address,
): Promise<FoundWorkflow | undefined> {
  const found = await findEnabled(tx, keys, address)
  const options = found && optionsOf(found.workflow.graph.trigger)
  return found && options && { ...found, options }
}

/** Finds a workflow of a kind with addresses that accept any request. */
export async function findOpenOfKind(
  tx: ReadTx,
  { keys, kinds }: AddressServices,
  address: Address,
): Promise<Found | undefined> {
  const found = await findEnabled(tx, keys, address)
  return found && kindOf(kinds, found.workflow.row.type).hasAddress === true ? found : undefined
}

/** Names what was found, whichever of its addresses was used. */
export const addressOf = (found: Found | undefined): FoundAddress | undefined =>
  found && { workspaceId: found.workspaceId, id: found.workflow.row.id }
