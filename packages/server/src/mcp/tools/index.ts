import type { McpTool } from '../tool.ts'
import { aggregate } from './aggregate.ts'
import { comment } from './comment.ts'
import { create } from './create.ts'
import { describeOperation } from './describe-operation.ts'
import { describeSchema } from './describe-schema.ts'
import { execute } from './execute.ts'
import { link } from './link.ts'
import { list } from './list.ts'
import { lists } from './lists.ts'
import { read } from './read.ts'
import { searchOperations } from './search-operations.ts'
import { search } from './search.ts'
import { sql } from './sql.ts'
import { transcripts } from './transcripts.ts'
import { update } from './update.ts'
import { upsert } from './upsert.ts'
import { workflows } from './workflows.ts'

/** The tools of the MCP server. Their names never change. */
export const tools: readonly McpTool[] = [
  search,
  describeSchema,
  read,
  list,
  aggregate,
  sql,
  create,
  update,
  upsert,
  link,
  comment,
  lists,
  workflows,
  transcripts,
  searchOperations,
  describeOperation,
  execute,
]
