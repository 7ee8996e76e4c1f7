import type { Sending } from '@kontor/contract'
import type { Database, ReadTx, Tx } from '../../../db/tx.ts'
import type { Pacing } from '../../emails/index.ts'
import { findSettings } from '../../settings/index.ts'
import { holdCampaign } from '../enrolments/store.ts'
import type { FindZone } from './recipient-zone.ts'
import {
  countOnDay,
  findPaced,
  keepsEnabled,
  findPlace,
  listFullDays,
  putPlace,
  takeDomainPlace,
  type Place,
} from './store.ts'
import { dayOf, endOfDay, nextOpening } from './window.ts'

/** A letter that came so late behind its place in the row of a domain takes another: it would meet those behind it. */
const lateMs = 15 * 60_000

/** Full days that are looked up together. */
const daysAtOnce = 400

/** The pace of a letter: the limits of its campaign, and where its hours and its day are. */
type Pace = { readonly sending: Sending; readonly windowZone: string; readonly dayZone: string; readonly now: number }

type Letter = Parameters<Pacing['waitsUntil']>[0]

/**
 * Says when a letter of a campaign may go out: within its hours, no more on a day and to a domain than it may (0176).
 * Places are taken in a transaction and kept by step, so that a step that is tried again counts once.
 */
export function campaignPacing(database: Database, findZone: FindZone): Pacing {
  return {
    async waitsUntil(letter) {
      const { workspaceId, workflowId, now } = letter
      const { reader } = database
      const workflow = await findPaced(reader, { workspace_id: workspaceId, workflow_id: workflowId })
      // The run is looked at again at once: it is gone with its workflow, or rests as all runs of a paused campaign do.
      if (workflow?.enabled !== true) return now
      const { sending } = workflow
      if (sending.window === null && sending.daily_cap === null && sending.per_domain_per_minute === null) return null
      const pace = { sending, now, ...(await zonesOf(reader, findZone, letter, sending)) }
      if (sending.daily_cap === null && sending.per_domain_per_minute === null) {
        const opens = opening(pace, now)
        return opens > now ? opens : null
      }
      const due = await database.write((tx) => takePlace(tx, letter, pace))
      return due > now ? due : null
    },

    mayGoOut: (tx, { workspaceId, workflowId }) =>
      keepsEnabled(tx, { workspace_id: workspaceId, workflow_id: workflowId }),
  }
}

async function zonesOf(tx: ReadTx, findZone: FindZone, { workspaceId, personId }: Letter, { window }: Sending) {
  const { time_zone: dayZone } = await findSettings(tx, workspaceId)
  const wanted = window?.time_zone ?? 'workspace'
  if (wanted !== 'workspace' && wanted !== 'recipient') return { dayZone, windowZone: wanted }
  const theirs = wanted === 'recipient' && personId !== null ? await findZone(tx, workspaceId, personId) : undefined
  return { dayZone, windowZone: theirs ?? dayZone }
}

const opening = ({ sending: { window }, windowZone }: Pace, at: number): number =>
  window === null ? at : nextOpening(window, windowZone, at)

/** Takes a place for a letter, or finds the one that it has; returns when it may go out. */
async function takePlace(tx: Tx, letter: Letter, pace: Pace): Promise<number> {
  const { workspaceId, workflowId, runId, stepKey, recipients } = letter
  const { now, sending } = pace
  const campaign = { workspace_id: workspaceId, workflow_id: workflowId }
  await holdCampaign(tx, campaign)
  const key = { workspace_id: workspaceId, run_id: runId, step_key: stepKey }
  const before = await findPlace(tx, key)
  if (before !== undefined && before.due_at > now) return before.due_at
  const onDay = before !== undefined && isInTime(before, pace) ? before : await takeDay(tx, campaign, pace, before)
  const place = { ...key, ...onDay }
  const isLate = now - place.due_at > lateMs
  const perMinute = sending.per_domain_per_minute
  const waits = place.due_at <= now && perMinute !== null && (!place.throttled || isLate)
  const domain = recipients[0]?.split('@').at(-1) ?? ''
  const due = waits ? await takeDomainPlace(tx, { ...campaign, domain }, 60_000 / perMinute, now) : place.due_at
  const taken = { ...place, due_at: due, throttled: place.throttled || waits }
  await putPlace(tx, taken, before === undefined)
  return due
}

/** Returns whether a letter whose time has come may still go out on the day that counts it. */
const isInTime = ({ day }: Place, pace: Pace): boolean =>
  day === dayOf(pace.now, pace.dayZone) && opening(pace, pace.now) === pace.now

type CampaignKey = { readonly workspace_id: string; readonly workflow_id: string }

type DayPlace = Pick<Place, 'day' | 'due_at' | 'throttled'>

/** Counts a letter on the first day that has room for it, and no more on the one that it had before. */
async function takeDay(tx: Tx, campaign: CampaignKey, pace: Pace, before: Place | undefined): Promise<DayPlace> {
  const { dayZone, now } = pace
  if (before !== undefined && before.day >= dayOf(now, dayZone))
    await countOnDay(tx, { ...campaign, day: before.day }, -1)
  const at = await firstWithRoom(tx, campaign, pace)
  const day = dayOf(at, dayZone)
  await countOnDay(tx, { ...campaign, day }, 1)
  return { day, due_at: at, throttled: false }
}

/** The first instant at which a letter may go out, on a day that has room for it. */
async function firstWithRoom(tx: Tx, campaign: CampaignKey, pace: Pace): Promise<number> {
  const { sending, dayZone, now } = pace
  let at = opening(pace, now)
  const { daily_cap: cap } = sending
  if (cap === null) return at
  for (;;) {
    const full = await listFullDays(tx, { ...campaign, day: dayOf(at, dayZone), cap, limit: daysAtOnce })
    if (!full.has(dayOf(at, dayZone))) return at
    for (const _day of full) if (full.has(dayOf(at, dayZone))) at = opening(pace, endOfDay(dayOf(at, dayZone), dayZone))
  }
}
