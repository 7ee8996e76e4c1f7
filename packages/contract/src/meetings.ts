import { z } from 'zod'
import { domain } from './endpoint.ts'
import { mutationMeta, mutationQuery } from './mutations.ts'
import { growingList } from './paging.ts'
import { single } from './records.ts'
import { id, silentQuery, timestamp } from './shared.ts'

/** Columns that the recordings of a meeting are sorted by. */
export const recordingSortColumns = ['_created_at'] as const

const seconds = z.number().min(0).max(1_000_000)
const words = z.string().max(10_000)
const name = z.string().max(1000)

const wordInput = z.looseObject({
  text: words,
  start_timestamp: seconds.nullish().meta({ description: 'Seconds from the beginning of the recording.' }),
  end_timestamp: seconds.nullish(),
  language: name.nullish(),
  confidence: z.number().nullish(),
})

const segmentInput = z
  .looseObject({
    speaker: name.nullish(),
    speaker_id: z
      .union([name, z.number(), z.null()])
      .optional()
      .meta({ description: "The sender's id of the speaker: a text or a number." }),
    language: name.nullish(),
    words: z.array(wordInput).max(100_000).nullish(),
  })
  .meta({
    id: 'TranscriptSegmentInput',
    description: "One speaker's words without a break; missing members are null, and further members are ignored.",
  })

const segment = z
  .object({
    speaker: z.string().nullable(),
    speaker_id: z.union([
      z.string().meta({ description: 'The text that was sent, if it was a text.' }),
      z.number().meta({ description: 'The number that was sent, if it was a number.' }),
      z.null(),
    ]),
    language: z.string().nullable(),
    words: z.array(
      z.object({
        text: z.string(),
        start_timestamp: z.number().nullable(),
        end_timestamp: z.number().nullable(),
        language: z.string().nullable(),
        confidence: z.number().nullable(),
      }),
    ),
  })
  .meta({ id: 'TranscriptSegment' })

export type TranscriptSegment = z.infer<typeof segment>

export const meetingRecording = z
  .object({
    type: z.literal('meeting_recording'),
    id,
    attributes: z.object({
      _id: id,
      meeting_id: id,
      recording_source: z.enum(['manual_upload', 'notetaker']).meta({ description: 'Its source.' }),
      status: z.enum(['Requested', 'Scheduled', 'Cancelled', 'Failed', 'Uploading', 'Done']).meta({
        description:
          '`Uploading` until its media has arrived, then `Done`. With a notetaker: `Requested` until the notetaker ' +
          'accepts the request (without a notetaker, permanently), then `Scheduled`; `Cancelled` if it should not ' +
          'join. `Failed` if the notetaker rejected the request, or an upload was not completed within a day.',
      }),
      detail: z.string().nullable().meta({ description: 'The reason why the notetaker has not accepted the request.' }),
      start_at: timestamp.nullable().meta({ description: 'When the meeting starts; null if it has no start.' }),
      end_at: timestamp.nullable().meta({ description: 'The start and the last second of the transcript.' }),
      _created_at: timestamp,
      _created_by: id,
      _updated_at: timestamp,
    }),
  })
  .meta({ id: 'MeetingRecording' })

export type MeetingRecording = z.infer<typeof meetingRecording>

const transcriptHit = z
  .object({
    type: z.literal('transcript_segment'),
    id: z.string().meta({ description: 'The recording, and the place in its transcript.' }),
    attributes: z.object({
      meeting_id: id,
      recording_id: id,
      speaker: z.string().nullable(),
      text: z.string().meta({ description: "The speaker's words without a break." }),
      start_timestamp: z.number().nullable().meta({ description: 'Seconds from the beginning of the recording.' }),
    }),
  })
  .meta({ id: 'TranscriptHit' })

/** Words of a transcript: those of eleven hours. Each takes some hundred bytes of memory while it is processed. */
const wordsMax = 100_000

const transcript = z
  .array(segmentInput)
  .min(1)
  .max(20_000)
  .refine((segments) => segments.reduce((sum, { words: some }) => sum + (some?.length ?? 0), 0) <= wordsMax, {
    error: `Must have at most ${wordsMax} words in all; split the recording.`,
  })
  .meta({ description: `In spoken order, with up to ${wordsMax} words in all.` })

const meeting = '/workspaces/{workspace}/meetings/{meetingId}'
const answer = z.object({ data: meetingRecording, meta: mutationMeta.optional() })

const example = [
  {
    speaker: 'Grace Hopper',
    speaker_id: '1',
    language: 'en',
    words: [
      { text: 'Good', start_timestamp: 0.4, end_timestamp: 0.6 },
      { text: 'morning', start_timestamp: 0.6, end_timestamp: 1.1 },
    ],
  },
]

const exampleCalendar = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Example//Calendar//EN',
  'BEGIN:VEVENT',
  'UID:kick-off@example.com',
  'DTSTART:20260131T093000Z',
  'DTEND:20260131T100000Z',
  'SUMMARY:Kick-off',
  'ORGANIZER;CN=Grace Hopper:mailto:grace@example.com',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n')

const switching = {
  path: `${meeting}/recording`,
  caller: 'any',
  scope: 'records:write',
  versioned: true,
  emits: ['record.updated'],
  query: mutationQuery,
  response: single,
} as const

const filing = { caller: 'any', scope: 'files:write', recordScope: 'records:write' } as const

const transcribing = {
  method: 'POST',
  caller: 'any',
  scope: 'records:write',
  status: 201,
  bodySize: 'bulk',
  emits: ['meeting.transcribed'],
  query: mutationQuery,
  response: answer,
} as const

/** Spec §3, §4: whether meetings are recorded, and what was said in them. */
export const meetings = domain({
  startRecording: {
    ...switching,
    method: 'POST',
    summary: 'Record a meeting',
    description:
      'Turns `recording_enabled` on. A meeting that is already recorded stays unchanged. The list of ' +
      'recordings shows the result a moment later. A configured notetaker is notified of the meeting.',
  },
  stopRecording: {
    ...switching,
    method: 'DELETE',
    summary: 'Do not record a meeting',
    description:
      'Turns `recording_enabled` off, and cancels the request to the notetaker. A meeting that is not ' +
      'recorded stays unchanged.',
  },
  addTranscript: {
    ...transcribing,
    path: `${meeting}/transcript`,
    summary: 'Add a transcript to a meeting',
    description: 'Adds a transcript as a new recording. “Upload a transcript” without `recordingId` does the same.',
    body: z.strictObject({ transcript }),
    examples: { body: { transcript: example } },
  },
  uploadTranscript: {
    ...transcribing,
    path: `${meeting}/recordings/transcript`,
    summary: 'Upload a transcript',
    description: 'Adds a transcript as a new recording, or replaces the transcript of an existing one.',
    body: z.strictObject({
      transcript,
      recordingId: z.string().min(1).optional().meta({ description: 'A recording of this meeting.' }),
    }),
    examples: { body: { transcript: example } },
  },
  uploadMedia: {
    ...filing,
    method: 'POST',
    path: `${meeting}/recordings/media`,
    status: 201,
    bodySize: 'bulk',
    summary: 'Request an upload of audio or video',
    description:
      'Returns a form: send all of its `fields` and then the file to its `url`, as `multipart/form-data` ' +
      'and without credentials. Then add the media to its recording by POST. The form is for a new recording, ' +
      'or for an existing one, whose media it replaces.',
    secret: true,
    emits: ['meeting.transcribed'],
    query: z.strictObject(silentQuery),
    body: z.strictObject({
      contentType: z
        .string()
        .max(200)
        .regex(/^(audio|video)\/[\w.+-]+(;.*)?$/, 'must be a type of audio or video, such as video/mp4')
        .meta({ example: 'video/mp4' }),
      recordingId: z.string().min(1).optional().meta({ description: 'A recording of this meeting.' }),
      transcript: transcript.optional(),
    }),
    response: z.object({
      data: z.object({
        recordingId: id,
        meetingId: id,
        key: z.string().meta({ description: 'Names the upload.' }),
        upload: z.object({
          url: z.string().meta({ description: 'Valid for an hour.' }),
          fields: z.record(z.string(), z.string()).meta({ description: 'Send these before the file.' }),
        }),
      }),
    }),
    examples: { body: { contentType: 'video/mp4', transcript: example } },
  },
  addMedia: {
    ...filing,
    method: 'POST',
    path: `${meeting}/recordings/media/{recordingId}`,
    summary: 'Add the uploaded audio or video to its recording',
    description: 'Completes an upload. From then on the media cannot change. Sending it again changes nothing.',
    emits: ['meeting.recorded'],
    query: z.strictObject(silentQuery),
    response: z.object({ data: meetingRecording }),
    errors: ['payload_too_large'],
  },
  getArtifacts: {
    method: 'POST',
    safe: true,
    path: `${meeting}/recordings/{recordingId}/artifacts`,
    caller: 'any',
    scope: 'files:read',
    recordScope: 'records:read',
    status: 201,
    summary: 'Get the download URLs of a recording',
    description:
      'Returns download URLs of the media and of the transcript as JSON, which need no credentials and ' +
      'are valid for an hour, also if the access of the caller ends meanwhile.',
    query: z.strictObject(silentQuery),
    response: z.object({
      data: z.object({
        videoUrl: z.string().nullable().meta({ description: 'null if there is no media.' }),
        transcriptionUrl: z.string().nullable().meta({ description: 'null if there is no transcript.' }),
      }),
    }),
  },
  searchTranscripts: {
    method: 'GET',
    replica: true,
    path: '/workspaces/{workspace}/transcripts',
    caller: 'any',
    scope: 'records:read',
    summary: 'Search transcripts',
    description: 'Searches all meetings that the caller may see, the last recording first unless sorted.',
    ...growingList(transcriptHit, recordingSortColumns, {
      q: z
        .string()
        .max(200)
        .optional()
        .meta({ description: 'Words that must all occur, in the text or in the name of the speaker.' }),
      speaker: z.string().max(200).optional().meta({ description: "A part of the speaker's name." }),
    }),
  },
  importCalendar: {
    method: 'POST',
    path: '/workspaces/{workspace}/meetings/import',
    caller: 'any',
    scope: 'records:write',
    bodySize: 'bulk',
    summary: 'Import a calendar',
    description:
      'Imports an iCalendar file (RFC 5545), sent as text or fetched from a URL. `METHOD` decides what ' +
      'it does: `PUBLISH`, `REQUEST` and no method create and update meetings, `CANCEL` cancels them, ' +
      '`REPLY` only changes the status of the attendee who replies; other methods change nothing. A ' +
      'recurring event becomes a meeting for each instance from 90 days ago to 365 days from now. ' +
      'Importing the same event again updates its meetings: afterwards it has exactly the instances of ' +
      'its newest version (`SEQUENCE`, then `DTSTAMP`). Older versions, and meetings that the caller may ' +
      'not change, are skipped. The meeting of a cancelled instance is deleted. It is kept, and marked ' +
      'in its title, if it has notes, comments, files or recordings, or if the credential may not ' +
      'delete. A meeting that the calendar cancelled and now contains again is restored; one that a ' +
      'person deleted is not. An event that cannot be read is reported in `rejected`, and the others are ' +
      'imported.',
    emits: ['record.created', 'record.updated', 'record.deleted', 'record.restored'],
    query: mutationQuery,
    body: z
      .strictObject({
        ics: z
          .string()
          .min(1)
          .max(10 * 1024 * 1024)
          .optional()
          .meta({ description: 'The text of an .ics file.' }),
        url: z
          .url({ protocol: /^https?$/ })
          .max(2000)
          .optional()
          .meta({ description: 'The URL of an .ics file.' }),
      })
      .refine(({ ics, url }) => (ics === undefined) !== (url === undefined), 'Send either "ics" or "url".'),
    response: z.object({
      data: z.object({
        created: z.array(id).meta({ description: 'Meetings that were created.' }),
        updated: z.array(id).meta({ description: 'Meetings that the calendar has changed.' }),
        deleted: z.array(id).meta({ description: 'Meetings that were deleted because the calendar cancelled them.' }),
        restored: z.array(id).meta({
          description:
            'Meetings that the calendar had cancelled and now contains again; changed ones are in `updated` too.',
        }),
        unchanged: z.int(),
        skipped: z.int(),
        rejected: z
          .array(
            z.object({
              ical_uid: z.string().nullable(),
              line: z.int().meta({ description: 'The line of the file where the event begins.' }),
              detail: z.string().meta({ description: 'The fault.' }),
            }),
          )
          .meta({ description: 'Events that cannot be read, at most 1,000.' }),
      }),
      meta: mutationMeta.optional(),
    }),
    examples: { body: { ics: exampleCalendar } },
  },
  listRecordings: {
    method: 'GET',
    path: `${meeting}/recordings`,
    caller: 'any',
    scope: 'records:read',
    summary: 'List the recordings of a meeting',
    description: 'Lists the recordings of a meeting, the oldest first unless sorted.',
    ...growingList(meetingRecording, recordingSortColumns, {}),
  },
  getTranscript: {
    method: 'GET',
    path: `${meeting}/recordings/{recordingId}/transcript`,
    caller: 'any',
    scope: 'records:read',
    summary: 'Get a transcript',
    description: 'Returns the words of a recording, segment by segment, with speakers and times.',
    response: z.object({
      data: z.object({
        type: z.literal('meeting_transcript'),
        id: id.meta({ description: 'The id of the recording.' }),
        attributes: z.object({ transcript: z.array(segment) }),
      }),
    }),
  },
})
