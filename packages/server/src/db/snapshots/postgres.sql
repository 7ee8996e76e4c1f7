table access_grant
  workspace_id uuid not null
  record_id uuid not null
  grantee_id uuid not null
  grantee_type text collate "C" not null
  id uuid not null
  object text collate "C" not null
  level bigint not null
  created_at bigint not null
  created_by uuid not null
  updated_at bigint
  updated_by uuid
  constraint access_grant_pkey PRIMARY KEY (workspace_id, record_id, grantee_id) INCLUDE (level)
  CREATE INDEX access_grant_grantee ON public.access_grant USING btree (workspace_id, grantee_id, object, record_id)
table activity
  workspace_id uuid not null
  record_id uuid not null
  position bigint not null
  place bigint not null
  id uuid not null
  type text collate "C" not null
  object text collate "C" not null
  actor_id text collate "C" not null
  actor_entity text collate "C" not null
  source_id text collate "C"
  diff json not null
  began_at bigint not null
  created_at bigint not null
  run_id uuid
  list_id uuid
  on_behalf_of jsonb
  constraint activity_pkey PRIMARY KEY (workspace_id, record_id, "position", place)
  CREATE INDEX activity_event ON public.activity USING btree (workspace_id, id)
  CREATE INDEX activity_of_list ON public.activity USING btree (workspace_id, record_id, list_id) WHERE (list_id IS NOT NULL)
  CREATE INDEX activity_of_run ON public.activity USING btree (workspace_id, run_id, created_at, record_id, "position", place) WHERE (run_id IS NOT NULL)
  CREATE INDEX activity_schema ON public.activity USING btree (workspace_id, began_at, record_id, "position") WHERE (object = 'schema'::text)
table agent_undo
  workspace_id uuid not null
  run_id uuid not null
  undo_state text collate "C" not null
  actor jsonb not null
  silent boolean not null
  undone_to jsonb
  events_seen bigint not null
  events_reverted bigint not null
  conflicts json not null
  conflict_count bigint not null
  created_at bigint not null
  created_by uuid not null
  ended_at bigint
  constraint agent_undo_pkey PRIMARY KEY (workspace_id, run_id)
table api_key
  workspace_id uuid not null
  id uuid not null
  name text collate "C" not null
  key_prefix text collate "C" not null
  key_hash text collate "C" not null
  scopes jsonb not null
  actor_type text collate "C" not null
  user_id uuid
  created_by uuid
  expires_at bigint
  created_at bigint not null
  updated_at bigint not null
  last_used_at bigint
  constraint api_key_pkey PRIMARY KEY (workspace_id, id)
  CREATE UNIQUE INDEX api_key_hash ON public.api_key USING btree (key_hash)
table app_user
  id uuid not null
  email text collate "C" not null
  email_key text collate "C" not null
  name text collate "C"
  created_at bigint not null
  last_active_at bigint
  unverified_since bigint
  constraint app_user_pkey PRIMARY KEY (id)
  CREATE UNIQUE INDEX app_user_email_key ON public.app_user USING btree (email_key)
table async_task
  workspace_id uuid not null
  id uuid not null
  user_id uuid not null
  type text collate "C" not null
  progress bigint not null
  total bigint
  metadata json not null
  queued_at bigint not null
  started_at bigint
  completed_at bigint
  failed_at bigint
  error_code text collate "C"
  updated_at bigint not null
  constraint async_task_pkey PRIMARY KEY (workspace_id, id)
  CREATE INDEX async_task_queued ON public.async_task USING btree (queued_at)
table attachment
  workspace_id uuid not null
  id uuid not null
  record_id uuid not null
  source text collate "C" not null
  message_ref text collate "C"
  sent_by json
  created_at bigint not null
  created_by uuid
  constraint attachment_pkey PRIMARY KEY (workspace_id, id)
  CREATE INDEX attachment_record ON public.attachment USING btree (workspace_id, record_id, id)
table calendar_entry
  workspace_id uuid not null
  id uuid not null
  meeting_id uuid not null
  sequence bigint not null default 0
  stamped_at bigint
  called_off_at bigint
  uid text collate "C"
  original bigint
  series_sequence bigint
  series_stamped_at bigint
  constraint calendar_entry_pkey PRIMARY KEY (workspace_id, id)
  CREATE INDEX calendar_entry_meeting ON public.calendar_entry USING btree (workspace_id, meeting_id)
  CREATE INDEX calendar_entry_uid ON public.calendar_entry USING btree (workspace_id, uid)
table campaign
  workspace_id uuid not null
  workflow_id uuid not null
  sending json not null
  ends_on_reply boolean not null
  enrolment_task_id uuid
  constraint campaign_pkey PRIMARY KEY (workspace_id, workflow_id)
table campaign_day
  workspace_id uuid not null
  workflow_id uuid not null
  day text collate "C" not null
  taken bigint not null
  constraint campaign_day_pkey PRIMARY KEY (workspace_id, workflow_id, day)
table campaign_domain
  workspace_id uuid not null
  workflow_id uuid not null
  domain text collate "C" not null
  begins_at double precision not null
  constraint campaign_domain_pkey PRIMARY KEY (workspace_id, workflow_id, domain)
table campaign_place
  workspace_id uuid not null
  run_id uuid not null
  step_key text collate "C" not null
  day text collate "C" not null
  due_at bigint not null
  throttled boolean not null
  constraint campaign_place_pkey PRIMARY KEY (workspace_id, run_id, step_key)
table campaign_recipient
  workspace_id uuid not null
  workflow_id uuid not null
  person_id uuid not null
  run_id uuid not null
  delivery text collate "C" not null
  run_status text collate "C" not null
  current_block text collate "C"
  resume_at bigint
  exit_plugin text collate "C"
  exit_node text collate "C"
  engagement bigint not null
  has_unsubscribed boolean not null
  last_opened_at bigint
  last_clicked_at bigint
  last_replied_at bigint
  hidden boolean not null
  started_at bigint
  ended_at bigint
  created_at bigint not null
  updated_at bigint not null
  address text collate "C"
  last_sent_at bigint
  constraint campaign_recipient_pkey PRIMARY KEY (workspace_id, workflow_id, person_id)
  CREATE INDEX campaign_recipient_by_delivery ON public.campaign_recipient USING btree (workspace_id, workflow_id, hidden, delivery, created_at, person_id)
  CREATE INDEX campaign_recipient_engaged ON public.campaign_recipient USING btree (workspace_id, workflow_id, hidden, created_at, person_id, engagement) WHERE (engagement > 0)
  CREATE INDEX campaign_recipient_in_order ON public.campaign_recipient USING btree (workspace_id, workflow_id, hidden, created_at, person_id)
  CREATE INDEX campaign_recipient_of_address ON public.campaign_recipient USING btree (workspace_id, workflow_id, address) WHERE (address IS NOT NULL)
  CREATE INDEX campaign_recipient_of_person ON public.campaign_recipient USING btree (workspace_id, person_id)
  CREATE INDEX campaign_recipient_of_run ON public.campaign_recipient USING btree (workspace_id, run_id)
table comment
  workspace_id uuid not null
  id uuid not null
  record_id uuid not null
  object text collate "C" not null
  message json not null
  mentions jsonb not null
  created_at bigint not null
  created_by uuid not null
  updated_at bigint
  updated_by uuid
  attachment_ids jsonb not null default '[]'::jsonb
  author jsonb
  constraint comment_pkey PRIMARY KEY (workspace_id, id)
  CREATE INDEX comment_record ON public.comment USING btree (workspace_id, record_id, id)
table data_export
  workspace_id uuid not null
  id uuid not null
  kind text collate "C" not null
  options json not null
  actor jsonb not null
  state text collate "C" not null
  file_name text collate "C" not null
  rows_done bigint not null
  size_bytes bigint
  error text collate "C"
  created_at bigint not null
  created_by uuid not null
  started_at bigint
  ended_at bigint
  constraint data_export_pkey PRIMARY KEY (workspace_id, id)
  CREATE INDEX export_ended ON public.data_export USING btree (ended_at)
table deleted_list
  workspace_id uuid not null
  id uuid not null
  visibility bigint not null
  owner_id uuid
  constraint deleted_list_pkey PRIMARY KEY (workspace_id, id)
table email
  workspace_id uuid not null
  id uuid not null
  letter_key text collate "C" not null
  email_state text collate "C" not null
  in_sequence boolean not null
  person_id uuid
  workflow_id uuid
  run_id uuid
  block text collate "C" not null
  actor jsonb not null
  recipients jsonb not null
  left_out jsonb not null
  sender text collate "C" not null
  message_id text collate "C" not null
  subject text collate "C" not null
  body_text text collate "C" not null
  body_html text collate "C"
  failure_detail text collate "C"
  bounce text collate "C"
  opens bigint not null
  clicks bigint not null
  created_at bigint not null
  sent_at bigint
  opened_at bigint
  clicked_at bigint
  replied_at bigint
  bounced_at bigint
  unsubscribed_at bigint
  updated_at bigint not null
  files jsonb not null default '[]'::jsonb
  machine_opens bigint not null default 0
  machine_clicks bigint not null default 0
  machine_opened_at bigint
  machine_clicked_at bigint
  reached jsonb not null default '[]'::jsonb
  constraint email_pkey PRIMARY KEY (workspace_id, id)
  CREATE UNIQUE INDEX email_key ON public.email USING btree (workspace_id, letter_key)
  CREATE INDEX email_person ON public.email USING btree (workspace_id, person_id, created_at, id)
  CREATE INDEX email_run ON public.email USING btree (workspace_id, run_id)
  CREATE INDEX email_time ON public.email USING btree (workspace_id, created_at, id)
  CREATE INDEX email_workflow ON public.email USING btree (workspace_id, workflow_id, created_at, id)
table email_day
  workspace_id uuid not null
  day text collate "C" not null
  taken bigint not null
  constraint email_day_pkey PRIMARY KEY (workspace_id)
table event
  workspace_id uuid not null
  sequence bigint not null
  id uuid not null
  type text collate "C" not null
  object text collate "C"
  record_id uuid
  actor jsonb not null
  silent boolean not null
  payload jsonb not null
  created_at bigint not null
  constraint event_pkey PRIMARY KEY (workspace_id, sequence)
  CREATE INDEX event_record ON public.event USING btree (workspace_id, record_id, sequence)
table event_cursor
  workspace_id uuid not null
  consumer text collate "C" not null
  sequence bigint not null
  constraint event_cursor_pkey PRIMARY KEY (workspace_id, consumer)
table event_head
  workspace_id uuid not null
  last_sequence bigint not null
  constraint event_head_pkey PRIMARY KEY (workspace_id)
table field_gram partition by HASH (workspace_id)
  workspace_id uuid not null
  field text collate "C" not null
  record_id uuid not null
  created_at bigint not null
  is_known bigint not null
  known_text text collate "C" not null
  grams integer[] not null
  constraint field_gram_pkey PRIMARY KEY (workspace_id, record_id, field)
  CREATE INDEX field_gram_grams ON ONLY public.field_gram USING gin (grams) WITH (fastupdate='on', gin_pending_list_limit='128')
partition field_gram_p00 of field_gram FOR VALUES WITH (modulus 16, remainder 0)
partition field_gram_p01 of field_gram FOR VALUES WITH (modulus 16, remainder 1)
partition field_gram_p02 of field_gram FOR VALUES WITH (modulus 16, remainder 2)
partition field_gram_p03 of field_gram FOR VALUES WITH (modulus 16, remainder 3)
partition field_gram_p04 of field_gram FOR VALUES WITH (modulus 16, remainder 4)
partition field_gram_p05 of field_gram FOR VALUES WITH (modulus 16, remainder 5)
partition field_gram_p06 of field_gram FOR VALUES WITH (modulus 16, remainder 6)
partition field_gram_p07 of field_gram FOR VALUES WITH (modulus 16, remainder 7)
partition field_gram_p08 of field_gram FOR VALUES WITH (modulus 16, remainder 8)
partition field_gram_p09 of field_gram FOR VALUES WITH (modulus 16, remainder 9)
partition field_gram_p10 of field_gram FOR VALUES WITH (modulus 16, remainder 10)
partition field_gram_p11 of field_gram FOR VALUES WITH (modulus 16, remainder 11)
partition field_gram_p12 of field_gram FOR VALUES WITH (modulus 16, remainder 12)
partition field_gram_p13 of field_gram FOR VALUES WITH (modulus 16, remainder 13)
partition field_gram_p14 of field_gram FOR VALUES WITH (modulus 16, remainder 14)
partition field_gram_p15 of field_gram FOR VALUES WITH (modulus 16, remainder 15)
table field_index_state
  workspace_id uuid not null
  object text collate "C" not null
  field text collate "C" not null
  kind text collate "C" not null
  state text collate "C" not null
  filled bigint not null
  total bigint not null
  until_at bigint
  filled_at bigint
  filled_id uuid
  requested_at bigint not null
  ready_at bigint
  last_used_at bigint
  constraint field_index_state_pkey PRIMARY KEY (workspace_id, object, field, kind)
table field_number partition by HASH (workspace_id)
  workspace_id uuid not null
  field text collate "C" not null
  is_null bigint not null
  number_value double precision not null
  record_id uuid not null
  visibility bigint not null
  constraint field_number_pkey PRIMARY KEY (workspace_id, field, is_null, number_value, record_id) INCLUDE (visibility)
  CREATE INDEX field_number_record ON ONLY public.field_number USING btree (workspace_id, record_id)
partition field_number_p00 of field_number FOR VALUES WITH (modulus 16, remainder 0)
partition field_number_p01 of field_number FOR VALUES WITH (modulus 16, remainder 1)
partition field_number_p02 of field_number FOR VALUES WITH (modulus 16, remainder 2)
partition field_number_p03 of field_number FOR VALUES WITH (modulus 16, remainder 3)
partition field_number_p04 of field_number FOR VALUES WITH (modulus 16, remainder 4)
partition field_number_p05 of field_number FOR VALUES WITH (modulus 16, remainder 5)
partition field_number_p06 of field_number FOR VALUES WITH (modulus 16, remainder 6)
partition field_number_p07 of field_number FOR VALUES WITH (modulus 16, remainder 7)
partition field_number_p08 of field_number FOR VALUES WITH (modulus 16, remainder 8)
partition field_number_p09 of field_number FOR VALUES WITH (modulus 16, remainder 9)
partition field_number_p10 of field_number FOR VALUES WITH (modulus 16, remainder 10)
partition field_number_p11 of field_number FOR VALUES WITH (modulus 16, remainder 11)
partition field_number_p12 of field_number FOR VALUES WITH (modulus 16, remainder 12)
partition field_number_p13 of field_number FOR VALUES WITH (modulus 16, remainder 13)
partition field_number_p14 of field_number FOR VALUES WITH (modulus 16, remainder 14)
partition field_number_p15 of field_number FOR VALUES WITH (modulus 16, remainder 15)
table field_text partition by HASH (workspace_id)
  workspace_id uuid not null
  field text collate "C" not null
  is_null bigint not null
  text_value text collate "C" not null
  record_id uuid not null
  visibility bigint not null
  constraint field_text_pkey PRIMARY KEY (workspace_id, field, is_null, text_value, record_id) INCLUDE (visibility)
  CREATE INDEX field_text_record ON ONLY public.field_text USING btree (workspace_id, record_id)
partition field_text_p00 of field_text FOR VALUES WITH (modulus 16, remainder 0)
partition field_text_p01 of field_text FOR VALUES WITH (modulus 16, remainder 1)
partition field_text_p02 of field_text FOR VALUES WITH (modulus 16, remainder 2)
partition field_text_p03 of field_text FOR VALUES WITH (modulus 16, remainder 3)
partition field_text_p04 of field_text FOR VALUES WITH (modulus 16, remainder 4)
partition field_text_p05 of field_text FOR VALUES WITH (modulus 16, remainder 5)
partition field_text_p06 of field_text FOR VALUES WITH (modulus 16, remainder 6)
partition field_text_p07 of field_text FOR VALUES WITH (modulus 16, remainder 7)
partition field_text_p08 of field_text FOR VALUES WITH (modulus 16, remainder 8)
partition field_text_p09 of field_text FOR VALUES WITH (modulus 16, remainder 9)
partition field_text_p10 of field_text FOR VALUES WITH (modulus 16, remainder 10)
partition field_text_p11 of field_text FOR VALUES WITH (modulus 16, remainder 11)
partition field_text_p12 of field_text FOR VALUES WITH (modulus 16, remainder 12)
partition field_text_p13 of field_text FOR VALUES WITH (modulus 16, remainder 13)
partition field_text_p14 of field_text FOR VALUES WITH (modulus 16, remainder 14)
partition field_text_p15 of field_text FOR VALUES WITH (modulus 16, remainder 15)
table file
  workspace_id uuid not null
  id uuid not null
  subject_id uuid not null
  name text collate "C" not null
  upload_key text collate "C" not null
  size_bytes bigint
  mime_type text collate "C"
  created_at bigint not null
  discard_at bigint
  constraint file_pkey PRIMARY KEY (workspace_id, id)
  CREATE INDEX file_discard ON public.file USING btree (discard_at, workspace_id) WHERE (discard_at IS NOT NULL)
table horizon
  workspace_id uuid not null
  told_until bigint not null
  constraint horizon_pkey PRIMARY KEY (workspace_id)
table idempotency
  workspace_id uuid not null
  actor_id text collate "C" not null
  endpoint text collate "C" not null
  idempotency_key text collate "C" not null
  request_hash text collate "C" not null
  status bigint
  body json
  headers json
  created_at bigint not null
  constraint idempotency_pkey PRIMARY KEY (workspace_id, actor_id, endpoint, idempotency_key)
  CREATE INDEX idempotency_created ON public.idempotency USING btree (created_at)
table import_reject
  workspace_id uuid not null
  import_id uuid not null
  line bigint not null
  cells json not null
  reason text collate "C" not null
  constraint import_reject_pkey PRIMARY KEY (workspace_id, import_id, line)
table import_revert
  workspace_id uuid not null
  import_id uuid not null
  undo_state text collate "C" not null
  actor jsonb not null
  silent boolean not null
  undone_to jsonb
  events_seen bigint not null
  events_reverted bigint not null
  conflicts json not null
  conflict_count bigint not null
  created_at bigint not null
  created_by uuid not null
  ended_at bigint
  constraint import_revert_pkey PRIMARY KEY (workspace_id, import_id)
table invitation
  workspace_id uuid not null
  id uuid not null
  email text collate "C" not null
  email_key text collate "C" not null
  role text collate "C" not null
  name text collate "C"
  token_hash text collate "C" not null
  created_at bigint not null
  created_by uuid not null
  sent_at bigint not null
  mailed boolean not null default false
  ended_at bigint
  constraint invitation_pkey PRIMARY KEY (workspace_id, id)
  CREATE UNIQUE INDEX invitation_email ON public.invitation USING btree (workspace_id, email_key)
  CREATE UNIQUE INDEX invitation_token ON public.invitation USING btree (token_hash)
table job
  workspace_id uuid not null
  id uuid not null
  kind text collate "C" not null
  job_key text collate "C"
  payload jsonb not null
  run_at bigint not null
  scheduled_at bigint not null
  wanted_at bigint
  attempt bigint not null
  failures bigint not null
  leased_at bigint
  leased_by text collate "C"
  last_error text collate "C"
  created_at bigint not null
  ended_at bigint
  watched_ms bigint
  losses bigint not null default 0
  constraint job_pkey PRIMARY KEY (workspace_id, id)
  CREATE INDEX job_due ON public.job USING btree (run_at) WHERE ((ended_at IS NULL) AND (leased_by IS NULL))
  CREATE INDEX job_ended ON public.job USING btree (ended_at) WHERE (ended_at IS NOT NULL)
  CREATE UNIQUE INDEX job_keyed ON public.job USING btree (workspace_id, kind, job_key) WHERE ((ended_at IS NULL) AND (job_key IS NOT NULL))
  CREATE INDEX job_leased ON public.job USING btree (workspace_id, id) WHERE (leased_by IS NOT NULL)
  CREATE INDEX job_scheduled ON public.job USING btree (scheduled_at) WHERE ((ended_at IS NULL) AND (leased_by IS NULL))
  CREATE INDEX job_turn ON public.job USING btree (workspace_id, run_at, id) WHERE ((ended_at IS NULL) AND (leased_by IS NULL))
CREATE OR REPLACE FUNCTION public.kontor_begin_change(workspace uuid, key bigint, OUT told_until bigint, OUT index_epoch bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  select b.told_until, b.index_epoch into told_until, index_epoch from kontor_begin_change(workspace, key, 0) as b;
end
$function$

CREATE OR REPLACE FUNCTION public.kontor_begin_change(workspace uuid, key bigint, known bigint, OUT told_until bigint, OUT index_epoch bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
begin
  if known < kontor_schema_floor() then
    raise exception 'this process knows % migrations, and the schema needs %', known, kontor_schema_floor()
      using errcode = 'KN001';
  end if;
  perform pg_advisory_xact_lock_shared(key);
  select h.told_until into told_until from horizon as h where h.workspace_id = workspace;
end
$function$

CREATE OR REPLACE FUNCTION public.kontor_fold(given text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN (octet_length(given) = length(given)) THEN lower((given COLLATE "C")) WHEN ((given IS NFKC NORMALIZED) AND (lower((given COLLATE "und-x-icu")) IS NFC NORMALIZED)) THEN (replace(lower((given COLLATE "und-x-icu")), 'ς'::text, 'σ'::text) COLLATE "C") ELSE (NORMALIZE(replace(lower((NORMALIZE(given, NFKC) COLLATE "und-x-icu")), 'ς'::text, 'σ'::text), NFC) COLLATE "C") END

CREATE OR REPLACE FUNCTION public.kontor_gather_statistics(source text, workspace uuid)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  part text;
begin
  execute format('select tableoid::regclass::text from %I where workspace_id = $1 limit 1', source)
    into part using workspace;
  if part is not null then execute format('analyze %s', part); end if;
end
$function$

table kontor_migration
  number bigint not null
  name text collate "C" not null
  applied_at bigint not null
  rolling boolean not null default false
  constraint kontor_migration_pkey PRIMARY KEY (number)
CREATE OR REPLACE FUNCTION public.kontor_phone(given text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (((('
'::text || replace(kontor_fold(given), '
'::text, ' '::text)) || '
 '::text) || regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(translate(kontor_fold(given), '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹'::text, '01234567890123456789'::text), '^tel:'::text, ''::text, 'g'::text), '[ \t\n\r\f\v./_*''’·•|\-\u00ad\u200b-\u200f\u2010-\u2015\u2028-\u202e\u2060-\u206f\u2212\u30fc\ufeff]'::text, ''::text, 'g'::text), '(\+|00)([0-9]{1,3})[([]0[)\]]'::text, '\1\2'::text, 'g'::text), '[()[\]]'::text, ''::text, 'g'::text), '([0-9])(;ext=|extension:?|ext:?|int|x:?|#|~|,|;)([0-9]{1,7})(?![0-9])'::text, '\1X\3'::text, 'g'::text), '[^0-9+X]+'::text, ' '::text, 'g'::text), '\+(?![0-9])'::text, ' '::text, 'g'::text), '\+'::text, ' +'::text, 'g'::text), '(^| )00([1-9])'::text, '\1+\2'::text, 'g'::text), '\+(1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|(?:2[1-689]|3[578]|42|5[09]|6[7-9]|8[035789]|9[679])[0-9])([0-9]+(X[0-9]+)?)'::text, '+\1\2 00\1\2 \1\2 0\2 \2'::text, 'g'::text), '\+(7|36)([0-9]+(X[0-9]+)?)'::text, '+\1\2 8\2 06\2'::text, 'g'::text)) || ' '::text)

CREATE OR REPLACE FUNCTION public.kontor_schema_floor()
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$select 11::bigint$function$

CREATE OR REPLACE FUNCTION public.kontor_workspaces_in(source text)
 RETURNS SETOF uuid
 LANGUAGE plpgsql
 STABLE
AS $function$
begin
  return query execute format(
    'with recursive turn (workspace_id) as (
       select (select workspace_id from %1$I order by workspace_id limit 1)
       union all
       select (select t.workspace_id from %1$I as t where t.workspace_id > turn.workspace_id
         order by t.workspace_id limit 1)
       from turn where turn.workspace_id is not null
     ) select workspace_id from turn where workspace_id is not null', source);
end
$function$

table layout
  workspace_id uuid not null
  layout_key text collate "C" not null
  tree json not null
  created_at bigint not null
  created_by uuid not null
  updated_at bigint not null
  updated_by uuid not null
  constraint layout_pkey PRIMARY KEY (workspace_id, layout_key)
table link
  workspace_id uuid not null
  relationship text collate "C" not null
  from_id uuid not null
  to_id uuid not null
  hidden_by uuid
  constraint link_pkey PRIMARY KEY (workspace_id, relationship, from_id, to_id)
  CREATE INDEX link_hidden ON public.link USING btree (workspace_id, hidden_by) WHERE (hidden_by IS NOT NULL)
  CREATE INDEX link_reverse ON public.link USING btree (workspace_id, relationship, to_id, hidden_by, from_id)
table list
  workspace_id uuid not null
  id uuid not null
  object text collate "C" not null
  visibility bigint not null
  owner_id uuid
  version bigint not null
  title text collate "C" not null
  emoji text collate "C" not null
  description text collate "C" not null
  type text collate "C" not null
  state text collate "C" not null
  layout text collate "C" not null
  options json not null
  query json
  query_version_id uuid
  rank double precision not null
  applied_version_id uuid
  evaluation_status text collate "C" not null
  evaluation_started_at bigint
  evaluated_at bigint
  created_at bigint not null
  created_by uuid not null
  updated_at bigint not null
  updated_by uuid not null
  constraint list_pkey PRIMARY KEY (workspace_id, id)
  CREATE INDEX list_object ON public.list USING btree (workspace_id, object, type, state)
table list_entry
  workspace_id uuid not null
  list_id uuid not null
  record_id uuid not null
  hidden boolean not null
  constraint list_entry_pkey PRIMARY KEY (workspace_id, list_id, record_id)
  CREATE INDEX list_entry_record ON public.list_entry USING btree (workspace_id, record_id)
table meeting_recording
  workspace_id uuid not null
  id uuid not null
  meeting_id uuid not null
  source text collate "C" not null
  transcript json not null
  ends_after_ms bigint not null
  created_at bigint not null
  created_by uuid not null
  updated_at bigint not null
  upload_id uuid
  media_id uuid
  state text collate "C" not null default 'done'::text
  detail text collate "C"
  told text collate "C"
  constraint meeting_recording_pkey PRIMARY KEY (workspace_id, id)
  CREATE INDEX meeting_recording_meeting ON public.meeting_recording USING btree (workspace_id, meeting_id, id)
table membership
  workspace_id uuid not null
  user_id uuid not null
  role text collate "C" not null
  created_at bigint not null
  constraint membership_pkey PRIMARY KEY (workspace_id, user_id)
  CREATE INDEX membership_user ON public.membership USING btree (user_id)
table merged_record
  workspace_id uuid not null
  merged_id uuid not null
  target_id uuid not null
  owner_id uuid
  merged_by uuid
  constraint merged_record_pkey PRIMARY KEY (workspace_id, merged_id)
  CREATE INDEX merged_record_target ON public.merged_record USING btree (workspace_id, target_id)
table notification
  workspace_id uuid not null
  id uuid not null
  user_id uuid not null
  notification_kind text collate "C" not null
  object text collate "C" not null
  record_id uuid not null
  comment_id uuid
  run_id uuid
  actor jsonb not null
  read_at bigint
  created_at bigint not null
  digested_at bigint
  constraint notification_pkey PRIMARY KEY (workspace_id, id)
  CREATE INDEX notification_age ON public.notification USING btree (created_at)
  CREATE INDEX notification_of_record ON public.notification USING btree (workspace_id, record_id)
  CREATE INDEX notification_of_user ON public.notification USING btree (workspace_id, user_id, id)
  CREATE INDEX notification_unread ON public.notification USING btree (workspace_id, user_id, id) WHERE (read_at IS NULL)
table notification_preference
  workspace_id uuid not null
  user_id uuid not null
  muted jsonb not null
  digest text collate "C" not null
  digest_hour bigint not null
  next_digest_at bigint
  last_digest_at bigint
  constraint notification_preference_pkey PRIMARY KEY (workspace_id, user_id)
  CREATE INDEX notification_digest ON public.notification_preference USING btree (next_digest_at) WHERE (next_digest_at IS NOT NULL)
table oauth_artifact
  model text collate "C" not null
  id_hash text collate "C" not null
  grant_id text collate "C"
  user_id uuid
  client_id uuid
  sealed json not null
  expires_at bigint not null
  consumed_at bigint
  workspace_id uuid
  constraint oauth_artifact_pkey PRIMARY KEY (model, id_hash)
  CREATE INDEX oauth_artifact_expiry ON public.oauth_artifact USING btree (expires_at)
  CREATE INDEX oauth_artifact_grant ON public.oauth_artifact USING btree (grant_id) WHERE (grant_id IS NOT NULL)
  CREATE INDEX oauth_artifact_person ON public.oauth_artifact USING btree (user_id, client_id) WHERE (user_id IS NOT NULL)
table oauth_client
  id uuid not null
  name text collate "C" not null
  client_type text collate "C" not null
  secret_hash text collate "C"
  redirect_uris jsonb not null
  created_at bigint not null
  workspace_id uuid
  scopes jsonb
  self_registered boolean not null default false
  created_by uuid
  constraint oauth_client_pkey PRIMARY KEY (id)
  CREATE UNIQUE INDEX oauth_client_name ON public.oauth_client USING btree (workspace_id, name) WHERE (workspace_id IS NOT NULL)
  CREATE INDEX oauth_client_self ON public.oauth_client USING btree (created_at) WHERE self_registered
table oauth_consent
  user_id uuid not null
  client_id uuid not null
  workspace_id uuid not null
  scopes jsonb not null
  created_at bigint not null
  updated_at bigint not null
  last_used_at bigint
  constraint oauth_consent_pkey PRIMARY KEY (user_id, client_id, workspace_id)
table outbox
  workspace_id uuid not null
  written_us bigint not null default ((EXTRACT(epoch FROM clock_timestamp()) * (1000000)::numeric))::bigint
  id uuid not null
  type text collate "C" not null
  object text collate "C"
  record_id uuid
  actor jsonb not null
  silent boolean not null
  payload jsonb not null
  created_at bigint not null
  constraint outbox_pkey PRIMARY KEY (workspace_id, written_us, id)
table passkey
  user_id uuid not null
  credential_id text collate "C" not null
  public_key text collate "C" not null
  uses bigint not null
  name text collate "C" not null
  created_at bigint not null
  last_used_at bigint
  constraint passkey_pkey PRIMARY KEY (user_id, credential_id)
table password
  user_id uuid not null
  password_hash text collate "C" not null
  updated_at bigint not null
  constraint password_pkey PRIMARY KEY (user_id)
table password_link
  token_hash text collate "C" not null
  user_id uuid not null
  created_at bigint not null
  verifies boolean not null default false
  constraint password_link_pkey PRIMARY KEY (token_hash)
  CREATE INDEX password_link_created ON public.password_link USING btree (created_at)
  CREATE INDEX password_link_user ON public.password_link USING btree (user_id)
table provider_identity
  issuer text collate "C" not null
  audience text collate "C" not null
  subject text collate "C" not null
  user_id uuid not null
  created_at bigint not null
  constraint provider_identity_pkey PRIMARY KEY (issuer, audience, subject)
  CREATE UNIQUE INDEX provider_identity_user ON public.provider_identity USING btree (user_id, issuer, audience)
table record partition by HASH (workspace_id)
  workspace_id uuid not null
  id uuid not null
  object text collate "C" not null
  visibility bigint not null
  owner_id uuid
  version bigint not null
  created_at bigint not null
  created_by uuid
  updated_at bigint not null
  updated_by uuid
  deleted_at bigint
  deleted_by uuid
  data jsonb not null
  feed_end json
  constraint record_pkey PRIMARY KEY (workspace_id, id)
  CREATE INDEX record_deleted ON ONLY public.record USING btree (workspace_id, object, deleted_at, id) WHERE (deleted_at IS NOT NULL)
  CREATE INDEX record_expired ON ONLY public.record USING btree (deleted_at) WHERE (deleted_at IS NOT NULL)
  CREATE INDEX record_live ON ONLY public.record USING btree (workspace_id, object, created_at, id) WHERE (deleted_at IS NULL)
  CREATE INDEX record_owned ON ONLY public.record USING btree (workspace_id, owner_id, object) WHERE ((visibility = 0) AND (deleted_at IS NULL))
  CREATE INDEX record_private ON ONLY public.record USING btree (workspace_id, object, owner_id) WHERE ((visibility = '-1'::integer) AND (deleted_at IS NULL))
  CREATE INDEX record_public ON ONLY public.record USING btree (workspace_id, object, created_at, id) WHERE ((visibility > 0) AND (deleted_at IS NULL))
  CREATE INDEX record_updated ON ONLY public.record USING btree (workspace_id, object, updated_at, id) WHERE (deleted_at IS NULL)
table record_count
  workspace_id uuid not null
  object text collate "C" not null
  total bigint not null
  constraint record_count_pkey PRIMARY KEY (workspace_id, object)
table record_count_delta
  workspace_id uuid not null
  object text collate "C" not null
  id uuid not null
  delta bigint not null
  constraint record_count_delta_pkey PRIMARY KEY (workspace_id, object, id)
table record_import
  workspace_id uuid not null
  id uuid not null
  object text collate "C" not null
  file_id uuid not null
  file_name text collate "C" not null
  file_bytes bigint not null
  shape json not null
  options json not null
  actor jsonb not null
  silent boolean not null
  state text collate "C" not null
  position bigint not null
  line bigint not null
  rows_total bigint
  rows_done bigint not null
  created bigint not null
  updated bigint not null
  unchanged bigint not null
  rejected bigint not null
  error text collate "C"
  created_at bigint not null
  created_by uuid not null
  started_at bigint
  ended_at bigint
  created_linked jsonb not null default '{}'::jsonb
  constraint record_import_pkey PRIMARY KEY (workspace_id, id)
  CREATE INDEX import_ended ON public.record_import USING btree (ended_at)
partition record_p00 of record FOR VALUES WITH (modulus 16, remainder 0) with (fillfactor=90)
partition record_p01 of record FOR VALUES WITH (modulus 16, remainder 1) with (fillfactor=90)
partition record_p02 of record FOR VALUES WITH (modulus 16, remainder 2) with (fillfactor=90)
partition record_p03 of record FOR VALUES WITH (modulus 16, remainder 3) with (fillfactor=90)
partition record_p04 of record FOR VALUES WITH (modulus 16, remainder 4) with (fillfactor=90)
partition record_p05 of record FOR VALUES WITH (modulus 16, remainder 5) with (fillfactor=90)
partition record_p06 of record FOR VALUES WITH (modulus 16, remainder 6) with (fillfactor=90)
partition record_p07 of record FOR VALUES WITH (modulus 16, remainder 7) with (fillfactor=90)
partition record_p08 of record FOR VALUES WITH (modulus 16, remainder 8) with (fillfactor=90)
partition record_p09 of record FOR VALUES WITH (modulus 16, remainder 9) with (fillfactor=90)
partition record_p10 of record FOR VALUES WITH (modulus 16, remainder 10) with (fillfactor=90)
partition record_p11 of record FOR VALUES WITH (modulus 16, remainder 11) with (fillfactor=90)
partition record_p12 of record FOR VALUES WITH (modulus 16, remainder 12) with (fillfactor=90)
partition record_p13 of record FOR VALUES WITH (modulus 16, remainder 13) with (fillfactor=90)
partition record_p14 of record FOR VALUES WITH (modulus 16, remainder 14) with (fillfactor=90)
partition record_p15 of record FOR VALUES WITH (modulus 16, remainder 15) with (fillfactor=90)
table recovery_code
  user_id uuid not null
  code_hash text collate "C" not null
  constraint recovery_code_pkey PRIMARY KEY (user_id, code_hash)
table retired_key
  workspace_id uuid not null
  key_id uuid not null
  key_hash text collate "C" not null
  valid_until bigint not null
  constraint retired_key_pkey PRIMARY KEY (workspace_id, key_id, key_hash)
  CREATE UNIQUE INDEX retired_key_hash ON public.retired_key USING btree (key_hash)
table schema_queue
  workspace_id uuid not null
  task_id uuid not null
  place bigint not null
  objects json not null
  request json not null
  created_at bigint not null
  constraint schema_queue_pkey PRIMARY KEY (workspace_id, task_id)
table schema_target
  workspace_id uuid not null
  object text collate "C" not null
  task_id uuid not null
  target_state text collate "C" not null
  target json not null
  target_keys json not null
  target_version bigint not null
  gone boolean not null
  clearing json
  created_at bigint not null
  constraint schema_target_pkey PRIMARY KEY (workspace_id, object)
  CREATE INDEX schema_target_task ON public.schema_target USING btree (workspace_id, task_id)
table schema_version
  workspace_id uuid not null
  object text collate "C" not null
  version bigint not null
  document json not null
  created_at bigint not null
  created_by uuid
  keys json not null default '{}'::json
  deleted_at bigint
  constraint schema_version_pkey PRIMARY KEY (workspace_id, object, version)
table search_document partition by HASH (workspace_id)
  workspace_id uuid not null
  record_id uuid not null
  object text collate "C" not null
  created_at bigint not null
  title_text text collate "C" not null
  document_text text collate "C" not null
  grams integer[]
  constraint search_document_pkey PRIMARY KEY (workspace_id, record_id)
  CREATE INDEX search_document_grams ON ONLY public.search_document USING gin (grams) WITH (fastupdate='on', gin_pending_list_limit='128')
  CREATE INDEX search_document_to_index ON ONLY public.search_document USING btree (workspace_id, object, record_id) WHERE (grams IS NULL)
partition search_document_p00 of search_document FOR VALUES WITH (modulus 16, remainder 0)
partition search_document_p01 of search_document FOR VALUES WITH (modulus 16, remainder 1)
partition search_document_p02 of search_document FOR VALUES WITH (modulus 16, remainder 2)
partition search_document_p03 of search_document FOR VALUES WITH (modulus 16, remainder 3)
partition search_document_p04 of search_document FOR VALUES WITH (modulus 16, remainder 4)
partition search_document_p05 of search_document FOR VALUES WITH (modulus 16, remainder 5)
partition search_document_p06 of search_document FOR VALUES WITH (modulus 16, remainder 6)
partition search_document_p07 of search_document FOR VALUES WITH (modulus 16, remainder 7)
partition search_document_p08 of search_document FOR VALUES WITH (modulus 16, remainder 8)
partition search_document_p09 of search_document FOR VALUES WITH (modulus 16, remainder 9)
partition search_document_p10 of search_document FOR VALUES WITH (modulus 16, remainder 10)
partition search_document_p11 of search_document FOR VALUES WITH (modulus 16, remainder 11)
partition search_document_p12 of search_document FOR VALUES WITH (modulus 16, remainder 12)
partition search_document_p13 of search_document FOR VALUES WITH (modulus 16, remainder 13)
partition search_document_p14 of search_document FOR VALUES WITH (modulus 16, remainder 14)
partition search_document_p15 of search_document FOR VALUES WITH (modulus 16, remainder 15)
table second_factor
  user_id uuid not null
  sealed_secret text collate "C" not null
  sealed_with text collate "C" not null
  last_step bigint not null
  created_at bigint not null
  constraint second_factor_pkey PRIMARY KEY (user_id)
table session
  id uuid not null
  token_hash text collate "C" not null
  user_id uuid not null
  user_agent text collate "C"
  created_at bigint not null
  last_seen_at bigint not null
  constraint session_pkey PRIMARY KEY (id)
  CREATE INDEX session_created ON public.session USING btree (created_at)
  CREATE INDEX session_of_user ON public.session USING btree (user_id)
  CREATE INDEX session_seen ON public.session USING btree (last_seen_at)
  CREATE UNIQUE INDEX session_token ON public.session USING btree (token_hash)
table sign_in_attempt
  email_hash text collate "C" not null
  failures bigint not null
  began_at bigint not null
  constraint sign_in_attempt_pkey PRIMARY KEY (email_hash)
  CREATE INDEX sign_in_attempt_began ON public.sign_in_attempt USING btree (began_at)
table signing_key
  kid text collate "C" not null
  private_jwk jsonb not null
  created_at bigint not null
  constraint signing_key_pkey PRIMARY KEY (kid)
table suppression
  workspace_id uuid not null
  id uuid not null
  address text collate "C" not null
  reason text collate "C" not null
  note text collate "C"
  email_id uuid
  created_at bigint not null
  created_by uuid
  person_id uuid
  constraint suppression_pkey PRIMARY KEY (workspace_id, id)
  CREATE UNIQUE INDEX suppression_address ON public.suppression USING btree (workspace_id, address, COALESCE(created_by, workspace_id))
  CREATE INDEX suppression_person ON public.suppression USING btree (workspace_id, person_id) WHERE (person_id IS NOT NULL)
table transcript_segment
  workspace_id uuid not null
  recording_id uuid not null
  place bigint not null
  meeting_id uuid not null
  speaker text collate "C"
  said text collate "C" not null
  searched text collate "C" not null
  starts_after_ms bigint
  constraint transcript_segment_pkey PRIMARY KEY (workspace_id, recording_id, place)
  CREATE INDEX transcript_segment_meeting ON public.transcript_segment USING btree (workspace_id, meeting_id)
table unique_key
  workspace_id uuid not null
  field text collate "C" not null
  key_value text collate "C" not null
  record_id uuid not null
  constraint unique_key_pkey PRIMARY KEY (workspace_id, field, key_value)
  CREATE INDEX unique_key_record ON public.unique_key USING btree (workspace_id, record_id)
table used_challenge
  challenge_hash text collate "C" not null
  used_at bigint not null
  constraint used_challenge_pkey PRIMARY KEY (challenge_hash)
table webhook
  workspace_id uuid not null
  id uuid not null
  url text collate "C" not null
  events jsonb not null
  filter json
  description text collate "C"
  ordered boolean not null
  enabled boolean not null
  disabled_reason text collate "C"
  disabled_at bigint
  failing_since bigint
  failures bigint not null
  paused_until bigint
  secrets jsonb not null
  secrets_key text collate "C" not null
  old_secret_until bigint
  actor jsonb not null
  owner_id uuid
  created_at bigint not null
  created_by uuid not null
  updated_at bigint not null
  warned_percent bigint not null default 0
  fifo boolean not null default false
  follows_from bigint
  sends_from bigint
  enabled_by uuid
  constraint webhook_pkey PRIMARY KEY (workspace_id, id)
table webhook_attempt
  workspace_id uuid not null
  delivery_id uuid not null
  number bigint not null
  at bigint not null
  duration_ms bigint not null
  request_headers json not null
  response json
  reason text collate "C"
  detail text collate "C"
  constraint webhook_attempt_pkey PRIMARY KEY (workspace_id, delivery_id, number)
  CREATE INDEX webhook_attempt_age ON public.webhook_attempt USING btree (at)
table webhook_delivery
  workspace_id uuid not null
  id uuid not null
  webhook_id uuid not null
  event_id uuid not null
  event_type text collate "C" not null
  object text collate "C"
  record_id uuid
  sequence bigint not null
  state text collate "C" not null
  due_at bigint
  attempts bigint not null
  tries bigint not null
  began_at bigint
  response_status bigint
  error text collate "C"
  created_at bigint not null
  ended_at bigint
  caused_by json
  constraint webhook_delivery_pkey PRIMARY KEY (workspace_id, id)
  CREATE INDEX webhook_delivery_age ON public.webhook_delivery USING btree (created_at)
  CREATE INDEX webhook_delivery_due ON public.webhook_delivery USING btree (workspace_id, webhook_id, due_at, sequence) WHERE (state = 'pending'::text)
  CREATE INDEX webhook_delivery_list ON public.webhook_delivery USING btree (workspace_id, webhook_id, created_at, id)
  CREATE INDEX webhook_delivery_order ON public.webhook_delivery USING btree (workspace_id, webhook_id, sequence) WHERE (state = 'pending'::text)
  CREATE INDEX webhook_delivery_record ON public.webhook_delivery USING btree (workspace_id, webhook_id, record_id, sequence) WHERE (state = 'pending'::text)
table workflow
  workspace_id uuid not null
  id uuid not null
  name text collate "C" not null
  description text collate "C" not null
  type text collate "C" not null
  enabled boolean not null
  published_at bigint
  trigger_plugin text collate "C" not null
  version bigint not null
  graph_version bigint not null
  owner_id uuid not null
  actor jsonb not null
  stopped_reason text collate "C"
  secret jsonb
  created_at bigint not null
  created_by uuid not null
  updated_at bigint not null
  updated_by uuid not null
  secret_key text collate "C"
  address_rotation bigint not null default 0
  constraint workflow_pkey PRIMARY KEY (workspace_id, id)
  CREATE INDEX workflow_enabled ON public.workflow USING btree (workspace_id, trigger_plugin) WHERE enabled
table workflow_arrival
  workspace_id uuid not null
  workflow_id uuid not null
  sender_key text collate "C" not null
  created_at bigint not null
  constraint workflow_arrival_pkey PRIMARY KEY (workspace_id, workflow_id, sender_key)
  CREATE INDEX workflow_arrival_age ON public.workflow_arrival USING btree (workspace_id, created_at)
table workflow_pace
  workspace_id uuid not null
  workflow_id uuid not null
  begins_at double precision not null
  constraint workflow_pace_pkey PRIMARY KEY (workspace_id, workflow_id)
table workflow_run
  workspace_id uuid not null
  id uuid not null
  workflow_id uuid not null
  graph_version bigint not null
  run_status text collate "C" not null
  revision bigint not null
  dry_run boolean not null
  object text collate "C"
  record_id uuid
  event_id uuid
  depth bigint not null
  trigger_state json not null
  current_block text collate "C"
  block_progress json not null
  resume_at bigint
  exit_plugin text collate "C"
  exit_node text collate "C"
  suppressed_reason text collate "C"
  failure json
  started_at bigint
  ended_at bigint
  created_at bigint not null
  updated_at bigint not null
  is_enrolment boolean not null default false
  acting_id uuid
  acting jsonb
  held_reason text collate "C"
  constraint workflow_run_pkey PRIMARY KEY (workspace_id, id)
  CREATE INDEX workflow_run_ended ON public.workflow_run USING btree (workspace_id, ended_at) WHERE (ended_at IS NOT NULL)
  CREATE INDEX workflow_run_in_order ON public.workflow_run USING btree (workspace_id, workflow_id, id, acting_id)
  CREATE INDEX workflow_run_of_record ON public.workflow_run USING btree (workspace_id, workflow_id, record_id, id) WHERE (record_id IS NOT NULL)
  CREATE INDEX workflow_run_of_workflow ON public.workflow_run USING btree (workspace_id, workflow_id, run_status, id, acting_id)
table workflow_step
  workspace_id uuid not null
  run_id uuid not null
  number bigint not null
  block text collate "C" not null
  plugin text collate "C" not null
  step_status text collate "C" not null
  attempts bigint not null
  input json
  output json
  failure json
  logs json not null
  started_at bigint not null
  ended_at bigint
  unresolved json
  output_bytes bigint
  contents_bytes bigint
  constraint workflow_step_pkey PRIMARY KEY (workspace_id, run_id, number)
table workflow_version
  workspace_id uuid not null
  workflow_id uuid not null
  version bigint not null
  graph json not null
  created_at bigint not null
  created_by uuid not null
  constraint workflow_version_pkey PRIMARY KEY (workspace_id, workflow_id, version)
table workflow_wait
  workspace_id uuid not null
  run_id uuid not null
  node text collate "C" not null
  is_exit boolean not null
  plugin text collate "C" not null
  record_id uuid
  constraint workflow_wait_pkey PRIMARY KEY (workspace_id, run_id, node)
  CREATE INDEX workflow_wait_for ON public.workflow_wait USING btree (workspace_id, plugin, record_id)
table workspace
  id uuid not null
  organization_id uuid not null
  slug text collate "C" not null
  name text collate "C" not null
  schema_epoch bigint not null
  created_at bigint not null
  settings jsonb not null default '{}'::jsonb
  inbound_rotation bigint not null default 0
  constraint workspace_pkey PRIMARY KEY (id)
  CREATE UNIQUE INDEX workspace_slug ON public.workspace USING btree (slug)
