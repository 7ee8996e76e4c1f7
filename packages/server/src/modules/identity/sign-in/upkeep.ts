import type { Tx } from '../../../db/tx.ts'
import { lockedMs } from './attempts.ts'
import { linkMs } from './password-links.ts'
import { idleMsMax, sessionMsMax } from './sessions.ts'
import { deleteEnded } from './store.ts'

/** Deletes expired sessions, links and attempt counts; returns whether there may be more. */
export const sweepSignIns = (tx: Tx, now: number): Promise<boolean> =>
  deleteEnded(tx, {
    sessions: now - sessionMsMax,
    sessionsUnused: now - idleMsMax,
    links: now - linkMs,
    attempts: now - lockedMs,
  })
