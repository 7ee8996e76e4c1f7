import { meetings, type Input } from '@kontor/contract'
import { implement, type WriteContext, type Handlers } from '../../kernel/implement.ts'
import { isId } from '../../kernel/ids.ts'
import { resource } from '../../kernel/resource.ts'
import { growingPage, cursorPages } from '../../kernel/short-page.ts'
import { defined } from '../../lib/guards.ts'
import type { OutboundClient } from '../../lib/outbound/client.ts'
import type { Pool } from '../../pool/index.ts'
import { presentOne } from '../query/index.ts'
import { dryRunMeta, requireVisible, updateRecords, type Dependent } from '../records/index.ts'
import { mediaHandlers, type MediaServices } from './media.ts'
import { present, startOf } from './present.ts'
import { lockMeeting, missingRecording, objectName, saveRecording } from './recordings.ts'
import { findTranscript, recordingsIn } from './store.ts'
import { readTranscript } from './transcript.ts'
import { withoutUniques } from './without-uniques.ts'
import { calendarImport } from './calendar/import.ts'
import { requestedOrder } from '../../kernel/requested-order.ts'
import { findObject } from '../objects/index.ts'
import { searchSegments } from './segments/store.ts'

type Services = MediaServices & {
  readonly outbound: OutboundClient
  readonly pool: Pool
  readonly dependents: readonly Dependent[]
}

const sorting = { columns: { _created_at: 'id' }, otherwise: { column: 'id', descending: false } } as const

export const meetingHandlers = (services: Services) =>
  implement(meetings, {
    ...mediaHandlers(services),

    searchTranscripts,

    importCalendar: calendarImport(services, services.dependents),

    startRecording: (ctx, input) => switchRecording(ctx, input, true),

    stopRecording: (ctx, input) => switchRecording(ctx, input, false),

    addTranscript: store,

    uploadTranscript: store,

    async listRecordings(ctx, input) {
      const { object, row } = await requireVisible(ctx, objectName, input.meetingId)
      const read = recordingsIn({ workspace_id: ctx.workspace.workspaceId, meeting_id: row.id })
      const { rows, ...envelope } = await growingPage(ctx, meetings.listRecordings, input, { ...sorting, read })
      const startsAt = startOf(object, row)
      return { body: { data: rows.map((recording) => present(recording, startsAt, ctx.now)), ...envelope } }
    },

    async getTranscript(ctx, { meetingId, recordingId }) {
      const { row } = await requireVisible(ctx, objectName, meetingId)
      const of = { workspace_id: ctx.workspace.workspaceId, meeting_id: row.id, id: recordingId }
      const transcript = isId(recordingId) ? await findTranscript(ctx.tx, of) : undefined
      if (transcript === undefined) throw missingRecording(ctx)
      return { body: { data: resource('meeting_transcript', recordingId, { transcript: [...transcript] }) } }
    },
  })

type Switch = Input<typeof meetings.startRecording>

async function switchRecording(ctx: WriteContext, { meetingId: id, dry_run }: Switch, isOn: boolean) {
  const change = { id, type: objectName, attributes: { recording_enabled: isOn }, path: [] }
  const { target, updated } = await updateRecords(withoutUniques(ctx), objectName, [change], undefined)
  const { row, diff } = defined(updated[0])
  return {
    body: { data: await presentOne(ctx, target.object, row), ...(await dryRunMeta(ctx, dry_run, [diff])) },
    version: row.version,
  }
}

type Upload = Input<typeof meetings.uploadTranscript>

/** Stores a transcript, in a recording of its own unless one is named. */
async function store(ctx: WriteContext, { meetingId, body: { transcript: given, recordingId }, dry_run }: Upload) {
  const { object, row: meeting } = await lockMeeting(ctx, meetingId)
  const transcript = await readTranscript(given)
  const { row, diff } = await saveRecording(ctx, { meetingId: meeting.id, recordingId, transcript })
  return {
    body: { data: present(row, startOf(object, meeting), ctx.clockNow), ...(await dryRunMeta(ctx, dry_run, [diff])) },
  }
}

/** Finds what was said, in meetings that the caller may see. */
const searchTranscripts: Handlers<typeof meetings>['searchTranscripts'] = async (ctx, input) => {
  const { q = '', speaker = '', sortOrder } = input
  const { object, principal } = await findObject(ctx, objectName, 'read')
  const asked = {
    workspaceId: ctx.workspace.workspaceId,
    object: object.key,
    principal,
    words: q.split(/\s+/).filter(Boolean),
    speaker,
  }
  const order = requestedOrder(ctx, sortOrder, { _created_at: 'place' }, { column: 'place', descending: true })
  const pages = cursorPages(ctx, meetings.searchTranscripts, input, order)
  const { found, total } = await searchSegments(ctx.tx, { ...asked, descending: order.descending }, pages.part)
  const { rows, ...envelope } = pages.envelope(found, total, ({ place, recording_id }) => ({
    value: place,
    id: recording_id,
  }))
  return {
    body: {
      data: rows.map(({ recording_id, meeting_id, place, speaker: who, said, starts_after_ms }) =>
        resource('transcript_segment', `${recording_id}:${place}`, {
          meeting_id,
          recording_id,
          speaker: who,
          text: said,
          start_timestamp: starts_after_ms === null ? null : starts_after_ms / 1000,
        }),
      ),
      ...envelope,
    },
  }
}
