import { meetingRecording, type MeetingRecording } from '@kontor/contract'
import { isoTime } from '../../kernel/clock.ts'
import { timeOfId } from '../../kernel/ids.ts'
import { presenterOf } from '../../kernel/resource.ts'
import { isString } from '../../lib/guards.ts'
import { uploadMs } from '../files/index.ts'
import type { ObjectModel, RecordRow } from '../objects/index.ts'
import type { RecordingRow } from './store.ts'

/** When a meeting starts, in milliseconds since 1970; undefined where it has no start. */
export function startOf(object: ObjectModel, { data }: RecordRow): number | undefined {
  const field = object.fields.get('start')
  const start = field && data[field.key]
  return isString(start) ? Date.parse(start) : undefined
}

type Status = MeetingRecording['attributes']['status']

const statuses: Readonly<Record<RecordingRow['state'], Status>> = {
  // Its upload has come to nothing.
  awaited: 'Failed',
  requested: 'Requested',
  scheduled: 'Scheduled',
  failed: 'Failed',
  cancelled: 'Cancelled',
  done: 'Done',
}

/** An upload is not waited for once it is too late to take it over. */
const statusOf = ({ state, upload_id }: RecordingRow, now: number): Status =>
  upload_id !== null && timeOfId(upload_id) + uploadMs > now ? 'Uploading' : statuses[state]

const presentRow = presenterOf(meetingRecording)

export function present(row: RecordingRow, startsAt: number | undefined, now: number): MeetingRecording {
  return presentRow(row, {
    recording_source: row.source === 'notetaker' ? 'notetaker' : 'manual_upload',
    status: statusOf(row, now),
    start_at: startsAt === undefined ? null : isoTime(startsAt),
    end_at: startsAt === undefined ? null : isoTime(startsAt + row.ends_after_ms),
  })
}
