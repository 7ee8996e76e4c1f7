import { isMutation } from '@kontor/contract'
import { z } from 'zod'
import { failure } from '../../kernel/errors.ts'
import { isList, isRecord, isString, memberOf } from '../../lib/guards.ts'
import { asData, fittingLines } from '../../markdown/index.ts'
import { dryRun, idempotencyKey, paging, underKey } from '../arguments.ts'
import { linesOf, portionOf, readCursor } from '../cursor.ts'
import { tool } from '../tool.ts'
import { operationName, operationOf } from './describe-operation.ts'

export const execute = tool({
  name: 'execute',
  title: 'Execute an operation of the API',
  description: 'Calls any operation of the API by its name. See `describe_operation` for its input first.',
  uses: 'any',
  input: z.strictObject({
    operation: operationName,
    input: z.looseObject({}).default({}).meta({ description: 'Parameters flat, the body under "body".' }),
    dry_run: dryRun,
    idempotency_key: idempotencyKey,
    ...paging,
  }),
  async run({ callByName, calls }, given) {
    const { name, endpoint } = operationOf(calls, given.operation)
    if (given.dry_run && !('dry_run' in (endpoint.query?.shape ?? {})))
      throw failure('invalid_parameter', `${name} has no dry run. Ask the user before you call it without one.`, {
        source: { pointer: '/dry_run' },
      })
    const position = readCursor(given.cursor)
    if (isMutation(endpoint) && given.cursor !== undefined)
      throw failure('invalid_parameter', `${name} changes data: it is not called again to see more.`, {
        source: { pointer: '/cursor' },
      })
    const body = await callByName(
      name,
      {
        ...given.input,
        ...(given.dry_run && { dry_run: true }),
        ...(position.page && { page: { ...pageOf(given.input), ...position.page } }),
      },
      underKey(given.idempotency_key),
    )
    const lines = answerLines(body)
    if (isMutation(endpoint)) return `Done: ${name}.\n${cutAnswer(lines, given.max_tokens)}`
    const next = memberOf(memberOf(body, 'links'), 'next')
    const portion = portionOf(lines, position, isString(next) ? next : null, given.max_tokens)
    return `Done: ${name}.\n${asData(portion.lines.join('\n'))}${portion.more}`
  },
})

/** The answer of a change, which is not made again to show the rest. */
function cutAnswer(lines: readonly string[], tokensMax: number): string {
  const fitting = fittingLines(lines, tokensMax)
  const left = lines.length - fitting
  return `${asData(lines.slice(0, fitting).join('\n'))}${left === 0 ? '' : `\n\n${left} more lines are not shown.`}`
}

const pageOf = (input: Readonly<Record<string, unknown>>): object => {
  const page = input['page']
  return isRecord(page) ? page : {}
}

/** The answer as JSON, each item of its data on a line of its own. */
function answerLines(body: unknown): string[] {
  if (body === undefined) return ['(no content)']
  if (isString(body)) return linesOf(body)
  const data = memberOf(body, 'data')
  const parts = isList(data) ? [...restOf(body), ...data.map((item) => JSON.stringify(item))] : [JSON.stringify(body)]
  return parts.flatMap(linesOf)
}

/** Returns the members beside the data as JSON, without the links: the cursor leads on. */
function restOf(body: unknown): string[] {
  if (!isRecord(body)) return []
  const { data: _, links: __, included: ___, ...rest } = body
  return Object.keys(rest).length === 0 ? [] : [JSON.stringify(rest)]
}
