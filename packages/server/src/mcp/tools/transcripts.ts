import { z } from 'zod'
import { asData, table } from '../../markdown/index.ts'
import { id, paging } from '../arguments.ts'
import { portionOf, readCursor, type Position } from '../cursor.ts'
import { tool, type ToolContext } from '../tool.ts'

export const transcripts = tool({
  name: 'transcripts',
  title: 'Search and read transcripts',
  description: 'Searches the transcripts of all meetings, or reads the transcript of one.',
  uses: ['meetings.searchTranscripts', 'meetings.listRecordings', 'meetings.getTranscript'],
  input: z.strictObject({
    query: z.string().max(200).optional().meta({ description: 'Words to search for. Omit to read `meeting_id`.' }),
    speaker: z.string().max(200).optional(),
    meeting_id: id.optional(),
    ...paging,
  }),
  async run(context, { query, speaker, meeting_id: meetingId, cursor, max_tokens: tokensMax }) {
    const position = readCursor(cursor)
    return meetingId === undefined
      ? hits(context, { q: query, speaker }, position, tokensMax)
      : whole(context, meetingId, position, tokensMax)
  },
})

async function hits(
  { call }: ToolContext,
  wanted: { readonly q: string | undefined; readonly speaker: string | undefined },
  position: Position,
  tokensMax: number,
): Promise<string> {
  const { data, meta, links } = await call('meetings.searchTranscripts', {
    ...wanted,
    page: { limit: 50, ...position.page },
  })
  if (data.length === 0) return 'No transcript that you may see contains these words.'
  const rows = data.map(({ attributes: { meeting_id, speaker, text } }) => [meeting_id, speaker ?? '', text])
  const [head = '', rule = '', ...said] = table(['meeting_id', 'speaker', 'text'], rows).split('\n')
  const { lines, more } = portionOf(said, position, links.next, tokensMax)
  return `${meta.total_records} found.\n${asData([head, rule, ...lines].join('\n'))}${more}`
}

async function whole({ call }: ToolContext, meetingId: string, position: Position, tokensMax: number): Promise<string> {
  const { data } = await call('meetings.listRecordings', { meetingId })
  const said: string[] = []
  for (const { id: recordingId } of data) {
    const answer = await call('meetings.getTranscript', { meetingId, recordingId })
    for (const { speaker, words } of answer.data.attributes.transcript)
      said.push(`${speaker ?? 'Unknown'}: ${words.map(({ text }) => text).join(' ')}`)
  }
  if (said.length === 0) return 'The meeting has no transcript.'
  const { lines, more } = portionOf(said, position, null, tokensMax)
  return `${asData(lines.join('\n'))}${more}`
}
