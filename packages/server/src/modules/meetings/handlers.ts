import { meetings, type Input } from '@kontor/contract'
import { implement, type WriteContext } from '../../kernel/implement.ts'
import { isId } from '../../kernel/ids.ts'
import { requestedOrder } from '../../kernel/requested-order.ts'
import { resource } from '../../kernel/resource.ts'
import { defined } from '../../lib/guards.ts'
import type { OutboundClient } from '../../lib/outbound/client.ts'
import type { Pool } from '../../pool/index.ts'
import { offsetEnvelope } from '../../lib/page-links.ts'
import { presentOne } from '../query/index.ts'
import { dryRunMeta, requireVisible, updateRecords, type Dependent } from '../records/index.ts'
import { mediaHandlers, type MediaServices } from './media.ts'
import { present, startOf } from './present.ts'
import { lockMeeting, missingRecording, objectName, saveRecording } from './recordings.ts'
import { searchTranscripts } from './search.ts'
import { countRecordings, findTranscript, listRecordings } from './store.ts'
import { readTranscript } from './transcript.ts'
import { withoutUniques } from './without-uniques.ts'
import { calendarImport } from './calendar/import.ts'

type Services = MediaServices & {
  readonly outbound: OutboundClient
  readonly pool: Pool
  readonly dependents: readonly Dependent[]
}

export const meetingHandlers = (services: Services) =>
  implement(meetings, {
    ...mediaHandlers(services),

    searchTranscripts,

    importCalendar: calendarImport(services, services.dependents),

    startRecording: (ctx, input) => switchRecording(ctx, input, true),

    stopRecording: (ctx, input) => switchRecording(ctx, input, false),

    addTranscript: store,

    uploadTranscript: store,

    async listRecordings(ctx, { workspace, meetingId, page, sortOrder }) {
      const { object, row } = await requireVisible(ctx, objectName, meetingId)
      const of = { workspace_id: ctx.workspace.workspaceId, meeting_id: row.id }
      const { descending } = requestedOrder(ctx, sortOrder, { _created_at: 'id' }, { column: 'id', descending: false })
      const [found, total] = await Promise.all([
        listRecordings(ctx.tx, of, descending, page),
        countRecordings(ctx.tx, of),
      ])
      const startsAt = startOf(object, row)
      const url = `${ctx.baseUrl}/workspaces/${workspace}/meetings/${meetingId}/recordings`
      return {
        body: {
          data: found.map((recording) => present(recording, startsAt, ctx.now)),
          ...offsetEnvelope(url, page, total, { sortOrder }),
        },
      }
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
  const transcript = readTranscript(given)
  const { row, diff } = await saveRecording(ctx, { meetingId: meeting.id, recordingId, transcript })
  return {
    body: { data: present(row, startOf(object, meeting), ctx.clockNow), ...(await dryRunMeta(ctx, dry_run, [diff])) },
  }
}
