import type { Output, users } from '@kontor/contract'
import type { ReadTx } from '../../../db/tx.ts'
import { isNarrowed } from '../../../kernel/authorise.ts'
import type { WriteContext } from '../../../kernel/implement.ts'

type Made = Output<typeof users.made>['data']['attributes']

/** One of these things; `enabled` where it can be disabled. */
type MadeThing = { readonly id: string; readonly name: string; readonly enabled?: boolean }

/** Something that goes on working in a workspace when the member who made it may no longer make it. */
export type MadeKind = {
  readonly name: keyof Made
  readonly list: (tx: ReadTx, workspaceId: string, userId: string) => Promise<MadeThing[]>
  readonly end: (ctx: WriteContext, userId: string) => Promise<void>
}

/** Everything that a member or former member has made, by its kind. */
export async function listMade(
  tx: ReadTx,
  kinds: readonly MadeKind[],
  workspaceId: string,
  userId: string,
): Promise<Made> {
  const found = await Promise.all(
    kinds.map(async ({ name, list }) => [name, await list(tx, workspaceId, userId)] as const),
  )
  return Object.fromEntries(found) as Made
}

/** Ends all that a member has made. A credential with scopes may not: each of these may do more than it. */
export async function endMade(ctx: WriteContext, kinds: readonly MadeKind[], userId: string): Promise<void> {
  if (isNarrowed(ctx.actor))
    throw ctx.fail('forbidden', {
      detail: 'Only a person, or a key of theirs without scopes, can end things that another member created.',
      source: { parameter: 'end_made' },
      meta: { granted: ctx.actor.scopes },
    })
  for (const { end } of kinds) await end(ctx, userId)
}
