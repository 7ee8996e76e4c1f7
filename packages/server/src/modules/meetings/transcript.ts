import type { Input, meetings, TranscriptSegment } from '@kontor/contract'
import { fold } from '../../db/fold.ts'
import { mapInPortions } from '../../lib/portions.ts'

type SentTranscript = Input<typeof meetings.addTranscript>['body']['transcript']

/** Returns a transcript with null for missing members, and without members that the contract does not name. */
export const readTranscript = (given: SentTranscript): Promise<TranscriptSegment[]> =>
  mapInPortions(given, ({ speaker, speaker_id, language, words }) => ({
    speaker: speaker ?? null,
    speaker_id: speaker_id ?? null,
    language: language ?? null,
    words: (words ?? []).map((word) => ({
      text: word.text,
      start_timestamp: word.start_timestamp ?? null,
      end_timestamp: word.end_timestamp ?? null,
      language: word.language ?? null,
      confidence: word.confidence ?? null,
    })),
  }))

/** Milliseconds from the beginning of a recording to the end of its last word, as far as words have times. */
export function endOf(transcript: readonly TranscriptSegment[]): number {
  let last = 0
  for (const { words } of transcript)
    for (const { start_timestamp, end_timestamp } of words) last = Math.max(last, end_timestamp ?? start_timestamp ?? 0)
  return Math.round(last * 1000)
}

/** Returns the segments that are searched and shown: the words of one speaker without a break, in their order. */
export const segmentsOf = (transcript: readonly TranscriptSegment[]) =>
  mapInPortions(transcript, ({ speaker, words }, place) => {
    const said = words.map(({ text }) => text).join(' ')
    const starts = words.find(({ start_timestamp }) => start_timestamp !== null)?.start_timestamp
    return {
      place,
      speaker,
      said,
      searched: fold(`${speaker ?? ''} ${said}`),
      starts_after_ms: starts === undefined || starts === null ? null : Math.round(starts * 1000),
    }
  })
