import type { Request, RequestHandler, Response } from 'express'
import type { HeaderSink } from '../kernel/invoke/runtime.ts'
import type { SendFailure } from './answer.ts'
import type { Exchange } from './exchange.ts'

type Serve = (request: Request, response: Response, headers: HeaderSink) => Promise<void>

/** Makes routes of what the contract does not declare, from a name for the log and what answers. */
export const operationRoute =
  (exchange: Exchange, refuse: SendFailure) =>
  (operation: string, serve: Serve): RequestHandler =>
  (request, response) =>
    void exchange(
      request,
      response,
      async (_requestId, headers, note) => {
        note.operation = operation
        await serve(request, response, headers)
      },
      refuse,
    )
