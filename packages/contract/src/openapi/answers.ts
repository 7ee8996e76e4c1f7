import recorded from './answers.json' with { type: 'json' }

type Answer = { readonly status: number; readonly body: unknown }

/** Responses of a server with the sample data to the samples of the document, recorded by `server/samples.long`. */
const answers: Readonly<Record<string, Answer>> = recorded

/** The recorded body of an operation's answer, where it was of this status. */
export function answerOf(operationId: string, status: number): unknown {
  const answer = answers[operationId]
  return answer?.status === status ? answer.body : undefined
}
