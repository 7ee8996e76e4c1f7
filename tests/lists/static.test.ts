import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { createRecord } from '../harness/records.ts'
