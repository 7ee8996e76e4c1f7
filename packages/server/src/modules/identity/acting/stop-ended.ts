import type { z } from 'zod'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import type { JobKind } from '../../../engine/types.ts'
import type { WorkspaceNow } from '../../../kernel/clock.ts'
import { endingsJobType } from '../endings/index.ts'
import { standingOf, type Acting, type ActingStop } from './standing.ts'

/** Something that goes on working for the one who made it, with the credential that it was made with. */
type Working = {
  readonly actor: Acting
  /** Stops it, unless it works with another credential by now. */
  readonly stop: (tx: Tx, reason: ActingStop) => Promise<void>
}

/** Lists what works at present, of one kind of things that go on working. */
export type WorkingKind = (tx: ReadTx, at: WorkspaceNow) => Promise<readonly Working[]>

type Payload = z.infer<typeof endingsJobType.payload>

/** Stops what was made with credentials that have ended, whatever ended them (docs/decisions/0275). */
export const endingsJob = (kinds: readonly WorkingKind[]): JobKind<Payload> => ({
  ...endingsJobType,
  async run({ database: { reader }, workspaceId, clock, conclude }) {
    const at = { workspaceId, now: clock.now() }
    const reasonOf = endedActors(reader, at)
    const found: { readonly stop: Working['stop']; readonly reason: ActingStop }[] = []
    for (const listWorking of kinds)
      for (const { actor, stop } of await listWorking(reader, at)) {
        const reason = await reasonOf(actor)
        if (reason !== undefined) found.push({ stop, reason })
      }
    return conclude(async (tx) => {
      for (const { stop, reason } of found) await stop(tx, reason)
      return { state: 'done' as const }
    })
  },
})

/** Finds out why actors may do nothing any more, each once. */
function endedActors(tx: ReadTx, at: WorkspaceNow): (actor: Acting) => Promise<ActingStop | undefined> {
  const known = new Map<string, Promise<ActingStop | undefined>>()
  const find = async (actor: Acting): Promise<ActingStop | undefined> => {
    const standing = await standingOf(tx, at, actor)
    return 'stopped' in standing ? standing.stopped : undefined
  }
  return (actor) => {
    const key = JSON.stringify(actor)
    const found = known.get(key) ?? find(actor)
    known.set(key, found)
    return found
  }
}
