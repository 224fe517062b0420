--
-- PostgreSQL database dump
--

-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

--
-- Data for Name: LiteLLM_BudgetTable; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public."LiteLLM_BudgetTable" (budget_id, max_budget, soft_budget, max_parallel_requests, tpm_limit, rpm_limit, model_max_budget, budget_duration, budget_reset_at, created_at, created_by, updated_at, updated_by, allowed_models, tpd_limit, temp_budget_increase, temp_budget_expiry) FROM stdin;
budget-acme	100	\N	\N	\N	\N	\N	30d	\N	2026-11-28 13:48:36.407	admin	2026-11-28 13:48:36.407	admin	{}	\N	\N	\N
budget-small	0.5	\N	\N	\N	\N	\N	14d	\N	2026-11-28 13:48:36.474	admin	2026-11-28 13:48:36.474	admin	{}	\N	\N	\N
\.

--
-- Data for Name: LiteLLM_Config; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public."LiteLLM_Config" (param_name, param_value, last_run_at, reload_revision) FROM stdin;
litellm_settings	{"drop_params": true}	\N	0
\.

--
-- Data for Name: LiteLLM_CredentialsTable; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public."LiteLLM_CredentialsTable" (credential_id, credential_name, credential_values, credential_info, created_at, created_by, updated_at, updated_by, display_name) FROM stdin;
\.

--
-- Data for Name: LiteLLM_EndUserTable; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public."LiteLLM_EndUserTable" (user_id, alias, spend, allowed_model_region, default_model, budget_id, blocked, object_permission_id, models) FROM stdin;
\.

--
-- Data for Name: LiteLLM_ModelTable; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public."LiteLLM_ModelTable" (id, aliases, created_at, created_by, updated_at, updated_by) FROM stdin;
\.

--
-- Data for Name: LiteLLM_OrganizationTable; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public."LiteLLM_OrganizationTable" (organization_id, organization_alias, budget_id, metadata, models, spend, model_spend, created_at, created_by, updated_at, updated_by, object_permission_id) FROM stdin;
org-acme	Acme	budget-acme	{}	{}	0	{}	2026-11-28 13:48:36.433	admin	2026-11-28 13:48:36.433	admin	\N
\.

--
-- Data for Name: LiteLLM_TeamTable; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public."LiteLLM_TeamTable" (team_id, team_alias, organization_id, admins, members, members_with_roles, metadata, max_budget, spend, models, max_parallel_requests, tpm_limit, rpm_limit, budget_duration, budget_reset_at, blocked, created_at, updated_at, model_spend, model_max_budget, model_id, team_member_permissions, object_permission_id, router_settings, policies, allow_team_guardrail_config, soft_budget, access_group_ids, budget_limits, default_team_member_models, tpd_limit) FROM stdin;
team-research	Research	org-acme	{}	{}	[]	{}	20	0	{fast,claude-sonnet-4-6,gpt-4o-mini}	\N	100000	\N	7d	\N	f	2026-11-28 13:48:36.45	2026-11-28 13:48:36.45	{}	{}	\N	{}	\N	{}	{}	f	\N	{}	\N	{}	\N
team-support	Support	org-acme	{}	{}	[]	{}	\N	0	{}	\N	\N	\N	\N	\N	f	2026-11-28 13:48:36.457	2026-11-28 13:48:36.457	{}	{}	\N	{}	\N	{}	{}	f	\N	{}	\N	{}	\N
\.

--
-- Data for Name: LiteLLM_ProjectTable; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public."LiteLLM_ProjectTable" (project_id, project_alias, team_id, budget_id, metadata, models, spend, model_spend, blocked, object_permission_id, created_at, created_by, updated_at, updated_by, description, model_rpm_limit, model_tpm_limit) FROM stdin;
\.

--
-- Data for Name: LiteLLM_ProxyModelTable; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public."LiteLLM_ProxyModelTable" (model_id, model_name, litellm_params, model_info, created_at, created_by, updated_at, updated_by, blocked) FROM stdin;
model-acme-large	acme-large	{"model": "3h6GFiipgo_ghtN2hyHqnRAn3ptojOU0Zt3z-TjSk_e8zsduqsBv6rkXrjZ2s_-SKXwi8Pjfa_hjEvpL", "api_key": "acYScUa57r8QAaAVSZ8UKqiPcoPSOtwDn5ZefuKjxv3a5iZZUAx4JRsdB6yULqra9oRAVfzHVMaGuNJzze_aVw==", "api_base": "m1SuZY0SivZ29oS6O_CJ9lpv9yXeQz1nPIyfxOArbj8eyIbQGUx8sfD6mgGNAi9hcdFfJz9_UT4emV7tf-sCVlWDiQ==", "input_cost_per_token": 0.000003, "output_cost_per_token": 0.000009}	{"id": "model-acme-large", "mode": "chat", "db_model": true, "max_input_tokens": 32000, "max_output_tokens": 4096}	2026-11-28 13:48:36.583	admin	2026-11-28 13:48:36.583	admin	f
model-azure-gpt	azure-gpt	{"model": "LyRPVAY6zG2kVh_8ugUoV979Jg4xwf3YqySpzuiv-reQYT-CGiLBqfiUwmmjlyj_K2q65Q==", "api_key": "hLORJ7IkozaIsU-Wo8WFlROYzARn59ZNu412z28BOFlL8ZMEi9hDQO0K1EQzs8sef2hfHnvI8lhV", "api_base": "pSbjd7iqIBJberlY1Gt2rz4vNIHxz-ZgVQDB-r9LghKKAE5v1SphofNg3IXKHkFEDO8YtfQ3IZHiDEwCWPkViCQsOZvP", "api_version": "LqLU7Tti5Yr38degDXbQ_LbZXF1fNdpcZ--gaI4QH0Da_QB_8s3k5pThUy-04QFrmbI="}	{"id": "model-azure-gpt", "db_model": true}	2026-11-28 13:48:36.594	admin	2026-11-28 13:48:36.594	admin	f
\.

--
-- Data for Name: LiteLLM_SpendLogs; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public."LiteLLM_SpendLogs" (request_id, call_type, api_key, spend, total_tokens, prompt_tokens, completion_tokens, "startTime", "endTime", "completionStartTime", model, model_id, model_group, custom_llm_provider, api_base, "user", metadata, cache_hit, cache_key, request_tags, team_id, end_user, requester_ip_address, messages, response, proxy_server_request, session_id, status, mcp_namespaced_tool_name, agent_id, request_duration_ms, created_at, updated_at, litellm_call_id, billing_agent_id) FROM stdin;
chatcmpl-8cbd0e2a4a6e06391a000001	acompletion	7c33111fd694b8e7d21a7a0b3c8364fef019c8d6014bf884dc8d51589219c6b1	8.85e-06	23	11	12	2026-11-28 13:48:36.737	2026-11-28 13:48:36.894	2026-11-28 13:48:36.894	openai/gpt-4o-mini	5c2368ee958c7fceda6e62e14e2e29fa14a92572b4fcc37776ad2d7dffde384b	gpt-4o-mini	openai	https://api.example.com/openai/v1/	ada	{"usage_object": {"total_tokens": 23, "prompt_tokens": 11, "completion_tokens": 12, "prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": 0}, "completion_tokens_details": {"audio_tokens": 0, "reasoning_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0}}, "cost_breakdown": {"input_cost": 1.6499999999999999e-06, "total_cost": 8.85e-06, "output_cost": 7.2e-06, "service_tier": null, "original_cost": 8.85e-06, "data_residency": null, "margin_percent": 0.0, "discount_amount": 0.0, "tool_usage_cost": 0.0, "vertex_location": null, "discount_percent": 0.0, "margin_fixed_amount": 0.0, "margin_total_amount": 0.0}, "litellm_call_id": "ae26f968-a0c0-4107-9568-2dba5e863b68", "attempted_retries": 0, "user_api_key_alias": "ci", "attempted_fallbacks": 0, "billed_retry_attempt": false, "additional_usage_values": {"prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": 0}, "completion_tokens_details": {"audio_tokens": 0, "reasoning_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0}}}	None	Cache OFF	[]	team-research		\N	{}	{}	{}	f2537f07-e3b9-4b57-af96-00bba75d3800	success	\N	\N	156	2026-11-28 13:48:41.467	2026-11-28 13:48:41.467	ae26f968-a0c0-4107-9568-2dba5e863b68	\N
chatcmpl-5fe424742dbad2b1eb000003	acompletion	7c33111fd694b8e7d21a7a0b3c8364fef019c8d6014bf884dc8d51589219c6b1	2.565e-05	51	11	40	2026-11-28 13:48:36.914	2026-11-28 13:48:37.727	2026-11-28 13:48:37.581	openai/gpt-4o-mini	5c2368ee958c7fceda6e62e14e2e29fa14a92572b4fcc37776ad2d7dffde384b	gpt-4o-mini	openai	https://api.example.com/openai/v1	ada	{"usage_object": {"cost": 2.565e-05, "total_tokens": 51, "prompt_tokens": 11, "completion_tokens": 40, "prompt_tokens_details": {"text_tokens": null, "audio_tokens": 0, "image_tokens": null, "video_tokens": null, "cached_tokens": 0, "initial_prompt_tokens": null}, "completion_tokens_details": {"text_tokens": null, "audio_tokens": 0, "image_tokens": null, "video_tokens": null, "reasoning_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0}}, "cost_breakdown": {"input_cost": 1.6499999999999999e-06, "total_cost": 2.565e-05, "output_cost": 2.4e-05, "service_tier": null, "original_cost": 2.565e-05, "data_residency": null, "margin_percent": 0.0, "discount_amount": 0.0, "tool_usage_cost": 0.0, "vertex_location": null, "discount_percent": 0.0, "margin_fixed_amount": 0.0, "margin_total_amount": 0.0}, "litellm_call_id": "7d9141ee-4cd8-48fd-80da-3a147b7ec506", "attempted_retries": 0, "user_api_key_alias": "ci", "attempted_fallbacks": 0, "billed_retry_attempt": false, "additional_usage_values": {"cost": 2.565e-05, "prompt_tokens_details": {"text_tokens": null, "audio_tokens": 0, "image_tokens": null, "video_tokens": null, "cached_tokens": 0, "initial_prompt_tokens": null}, "completion_tokens_details": {"text_tokens": null, "audio_tokens": 0, "image_tokens": null, "video_tokens": null, "reasoning_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0}}}	False	Cache OFF	[]	team-research		\N	{}	{}	{}	934ff7e6-ae82-441a-ba54-389894076297	success	\N	\N	813	2026-11-28 13:48:41.52	2026-11-28 13:48:41.52	7d9141ee-4cd8-48fd-80da-3a147b7ec506	\N
chatcmpl-c8b917d0508e3caf88000005	acompletion	8b253a7740af2c2a13746e76ba835d43031f0b8f1a0054128eda650d191e0d56	1.6649999999999998e-05	36	11	25	2026-11-28 13:48:37.714	2026-11-28 13:48:37.747	2026-11-28 13:48:37.747	openai/gpt-4o-mini	ea6d6d50df1ac9cc5d6f8285ce86e1db1c5e75ed80c98f94229bac9580469724	fast	openai	https://api.example.com/openai/v1/	ada	{"usage_object": {"total_tokens": 36, "prompt_tokens": 11, "completion_tokens": 25, "prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": 0}, "completion_tokens_details": {"audio_tokens": 0, "reasoning_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0}}, "cost_breakdown": {"input_cost": 1.6499999999999999e-06, "total_cost": 1.6649999999999998e-05, "output_cost": 1.4999999999999999e-05, "service_tier": null, "original_cost": 1.6649999999999998e-05, "data_residency": null, "margin_percent": 0.0, "discount_amount": 0.0, "tool_usage_cost": 0.0, "vertex_location": null, "discount_percent": 0.0, "margin_fixed_amount": 0.0, "margin_total_amount": 0.0}, "litellm_call_id": "3805d627-1559-4925-aa49-8a2a8d2bff7f", "attempted_retries": 0, "user_api_key_alias": "notebook", "attempted_fallbacks": 0, "billed_retry_attempt": false, "additional_usage_values": {"prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": 0}, "completion_tokens_details": {"audio_tokens": 0, "reasoning_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0}}}	None	Cache OFF	[]	team-research		\N	{}	{}	{}	a3c4eb22-48df-4758-9621-bcc7e9e60165	success	\N	\N	33	2026-11-28 13:48:41.537	2026-11-28 13:48:41.537	3805d627-1559-4925-aa49-8a2a8d2bff7f	\N
chatcmpl-4e6f68b7-3a18-48a6-97d6-77c2595291ec	acompletion	8b253a7740af2c2a13746e76ba835d43031f0b8f1a0054128eda650d191e0d56	0.00048	40	10	30	2026-11-28 13:48:37.758	2026-11-28 13:48:37.824	2026-11-28 13:48:37.824	anthropic/claude-sonnet-4-6	12d8c07e580f8353aacdb4ab927f05783ff002f91cc9a7956c13b68066a2482a	claude-sonnet-4-6	anthropic	https://api.example.com/anthropic/v1/messages	ada	{"usage_object": {"speed": null, "iterations": null, "service_tier": "standard", "total_tokens": 40, "inference_geo": null, "prompt_tokens": 10, "completion_tokens": 30, "prompt_tokens_details": {"text_tokens": 10, "audio_tokens": null, "image_tokens": null, "video_tokens": null, "cached_tokens": 0, "cache_write_tokens": 0, "cache_creation_tokens": 0, "initial_prompt_tokens": null, "cache_creation_token_details": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0}}, "cache_read_input_tokens": 0, "completion_tokens_details": {"text_tokens": 30, "reasoning_tokens": 0}, "cache_creation_input_tokens": 0}, "cost_breakdown": {"input_cost": 3e-05, "total_cost": 0.00048, "output_cost": 0.00045, "service_tier": null, "original_cost": 0.00048, "data_residency": null, "margin_percent": 0.0, "discount_amount": 0.0, "tool_usage_cost": 0.0, "vertex_location": null, "discount_percent": 0.0, "margin_fixed_amount": 0.0, "margin_total_amount": 0.0}, "litellm_call_id": "aad16ee1-aa59-428d-a7f7-df3fe7b6bccd", "attempted_retries": 0, "user_api_key_alias": "notebook", "attempted_fallbacks": 0, "billed_retry_attempt": false, "additional_usage_values": {"speed": null, "iterations": null, "service_tier": "standard", "inference_geo": null, "prompt_tokens_details": {"text_tokens": 10, "audio_tokens": null, "image_tokens": null, "video_tokens": null, "cached_tokens": 0, "cache_write_tokens": 0, "cache_creation_tokens": 0, "initial_prompt_tokens": null, "cache_creation_token_details": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0}}, "cache_read_input_tokens": 0, "completion_tokens_details": {"text_tokens": 30, "reasoning_tokens": 0}, "cache_creation_input_tokens": 0}}	None	Cache OFF	[]	team-research		\N	{}	{}	{}	b751e9c0-b1bb-4199-bdcf-a6b32ec1da17	success	\N	\N	65	2026-11-28 13:48:41.551	2026-11-28 13:48:41.551	aad16ee1-aa59-428d-a7f7-df3fe7b6bccd	\N
chatcmpl-1b4fa016164f65bab1000009	acompletion	b6565ab1ccc20867b3f4200604eacf39999b41a4a6762451ddc0fbc10f874023	0.0003678	2425	2416	9	2026-11-28 13:48:37.85	2026-11-28 13:48:37.889	2026-11-28 13:48:37.889	openai/gpt-4o-mini	5c2368ee958c7fceda6e62e14e2e29fa14a92572b4fcc37776ad2d7dffde384b	gpt-4o-mini	openai	https://api.example.com/openai/v1/	ada	{"usage_object": {"total_tokens": 2425, "prompt_tokens": 2416, "completion_tokens": 9, "prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": 0}, "completion_tokens_details": {"audio_tokens": 0, "reasoning_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0}}, "cost_breakdown": {"input_cost": 0.00036239999999999997, "total_cost": 0.0003678, "output_cost": 5.4e-06, "service_tier": null, "original_cost": 0.0003678, "data_residency": null, "margin_percent": 0.0, "discount_amount": 0.0, "tool_usage_cost": 0.0, "vertex_location": null, "discount_percent": 0.0, "margin_fixed_amount": 0.0, "margin_total_amount": 0.0}, "litellm_call_id": "c6fa58a4-24c3-4d54-9c93-7084ff3b9cac", "attempted_retries": 0, "user_api_key_alias": "cached-prompts", "attempted_fallbacks": 0, "billed_retry_attempt": false, "additional_usage_values": {"prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": 0}, "completion_tokens_details": {"audio_tokens": 0, "reasoning_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0}}}	None	Cache OFF	[]			\N	{}	{}	{}	62f66334-e8e7-4ffc-8fe7-c540439cf617	success	\N	\N	39	2026-11-28 13:48:41.563	2026-11-28 13:48:41.563	c6fa58a4-24c3-4d54-9c93-7084ff3b9cac	\N
chatcmpl-1b4fa016164f65bab100000b	acompletion	b6565ab1ccc20867b3f4200604eacf39999b41a4a6762451ddc0fbc10f874023	0.000195	2425	2416	9	2026-11-28 13:48:37.892	2026-11-28 13:48:38.215	2026-11-28 13:48:38.215	openai/gpt-4o-mini	5c2368ee958c7fceda6e62e14e2e29fa14a92572b4fcc37776ad2d7dffde384b	gpt-4o-mini	openai	https://api.example.com/openai/v1/	ada	{"usage_object": {"total_tokens": 2425, "prompt_tokens": 2416, "completion_tokens": 9, "prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": 2304}, "completion_tokens_details": {"audio_tokens": 0, "reasoning_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0}}, "cost_breakdown": {"input_cost": 0.0001896, "total_cost": 0.000195, "output_cost": 5.4e-06, "service_tier": null, "original_cost": 0.000195, "data_residency": null, "margin_percent": 0.0, "cache_read_cost": 0.0001728, "discount_amount": 0.0, "tool_usage_cost": 0.0, "vertex_location": null, "discount_percent": 0.0, "margin_fixed_amount": 0.0, "margin_total_amount": 0.0}, "litellm_call_id": "ed48cfbb-8d49-44d7-bde1-5f6fefddb062", "attempted_retries": 0, "user_api_key_alias": "cached-prompts", "attempted_fallbacks": 0, "billed_retry_attempt": false, "additional_usage_values": {"prompt_tokens_details": {"audio_tokens": 0, "cached_tokens": 2304}, "cache_read_input_tokens": 2304, "completion_tokens_details": {"audio_tokens": 0, "reasoning_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0}}}	None	Cache OFF	[]			\N	{}	{}	{}	a2a716d5-0ebe-40ae-a0b5-c71e7984f405	success	\N	\N	323	2026-11-28 13:48:41.573	2026-11-28 13:48:41.573	ed48cfbb-8d49-44d7-bde1-5f6fefddb062	\N
chatcmpl-94944565-1367-4a01-89b1-fd1d1b42e8a8	acompletion	b6565ab1ccc20867b3f4200604eacf39999b41a4a6762451ddc0fbc10f874023	0.00916875	2420	2411	9	2026-11-28 13:48:38.226	2026-11-28 13:48:38.38	2026-11-28 13:48:38.38	anthropic/claude-sonnet-4-6	12d8c07e580f8353aacdb4ab927f05783ff002f91cc9a7956c13b68066a2482a	claude-sonnet-4-6	anthropic	https://api.example.com/anthropic/v1/messages	ada	{"usage_object": {"speed": null, "iterations": null, "service_tier": "standard", "total_tokens": 2420, "inference_geo": null, "prompt_tokens": 2411, "completion_tokens": 9, "prompt_tokens_details": {"text_tokens": 10, "audio_tokens": null, "image_tokens": null, "video_tokens": null, "cached_tokens": 0, "cache_write_tokens": 2401, "cache_creation_tokens": 2401, "initial_prompt_tokens": null, "cache_creation_token_details": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 2401}}, "cache_read_input_tokens": 0, "completion_tokens_details": {"text_tokens": 9, "reasoning_tokens": 0}, "cache_creation_input_tokens": 2401}, "cost_breakdown": {"input_cost": 0.00903375, "total_cost": 0.00916875, "output_cost": 0.000135, "service_tier": null, "original_cost": 0.00916875, "data_residency": null, "margin_percent": 0.0, "discount_amount": 0.0, "tool_usage_cost": 0.0, "vertex_location": null, "discount_percent": 0.0, "cache_creation_cost": 0.00900375, "margin_fixed_amount": 0.0, "margin_total_amount": 0.0}, "litellm_call_id": "32b6ca0e-cdf5-47d9-876c-467f9de07c6d", "attempted_retries": 0, "user_api_key_alias": "cached-prompts", "attempted_fallbacks": 0, "billed_retry_attempt": false, "additional_usage_values": {"speed": null, "iterations": null, "service_tier": "standard", "inference_geo": null, "prompt_tokens_details": {"text_tokens": 10, "audio_tokens": null, "image_tokens": null, "video_tokens": null, "cached_tokens": 0, "cache_write_tokens": 2401, "cache_creation_tokens": 2401, "initial_prompt_tokens": null, "cache_creation_token_details": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 2401}}, "cache_read_input_tokens": 0, "completion_tokens_details": {"text_tokens": 9, "reasoning_tokens": 0}, "cache_creation_input_tokens": 2401}}	None	Cache OFF	[]			\N	{}	{}	{}	3046dc65-bbef-4802-92ce-b75a237a1411	success	\N	\N	153	2026-11-28 13:48:41.591	2026-11-28 13:48:41.591	32b6ca0e-cdf5-47d9-876c-467f9de07c6d	\N
chatcmpl-6d3e0508-edc5-42f4-9950-244b56abfaab	acompletion	b6565ab1ccc20867b3f4200604eacf39999b41a4a6762451ddc0fbc10f874023	0.0008853	2420	2411	9	2026-11-28 13:48:38.39	2026-11-28 13:48:38.444	2026-11-28 13:48:38.444	anthropic/claude-sonnet-4-6	12d8c07e580f8353aacdb4ab927f05783ff002f91cc9a7956c13b68066a2482a	claude-sonnet-4-6	anthropic	https://api.example.com/anthropic/v1/messages	ada	{"usage_object": {"speed": null, "iterations": null, "service_tier": "standard", "total_tokens": 2420, "inference_geo": null, "prompt_tokens": 2411, "completion_tokens": 9, "prompt_tokens_details": {"text_tokens": 10, "audio_tokens": null, "image_tokens": null, "video_tokens": null, "cached_tokens": 2401, "cache_write_tokens": 0, "cache_creation_tokens": 0, "initial_prompt_tokens": null, "cache_creation_token_details": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0}}, "cache_read_input_tokens": 2401, "completion_tokens_details": {"text_tokens": 9, "reasoning_tokens": 0}, "cache_creation_input_tokens": 0}, "cost_breakdown": {"input_cost": 0.0007503, "total_cost": 0.0008853, "output_cost": 0.000135, "service_tier": null, "original_cost": 0.0008853, "data_residency": null, "margin_percent": 0.0, "cache_read_cost": 0.0007203, "discount_amount": 0.0, "tool_usage_cost": 0.0, "vertex_location": null, "discount_percent": 0.0, "margin_fixed_amount": 0.0, "margin_total_amount": 0.0}, "litellm_call_id": "a28a3539-9771-4c21-820a-d0882335d675", "attempted_retries": 0, "user_api_key_alias": "cached-prompts", "attempted_fallbacks": 0, "billed_retry_attempt": false, "additional_usage_values": {"speed": null, "iterations": null, "service_tier": "standard", "inference_geo": null, "prompt_tokens_details": {"text_tokens": 10, "audio_tokens": null, "image_tokens": null, "video_tokens": null, "cached_tokens": 2401, "cache_write_tokens": 0, "cache_creation_tokens": 0, "initial_prompt_tokens": null, "cache_creation_token_details": {"ephemeral_1h_input_tokens": 0, "ephemeral_5m_input_tokens": 0}}, "cache_read_input_tokens": 2401, "completion_tokens_details": {"text_tokens": 9, "reasoning_tokens": 0}, "cache_creation_input_tokens": 0}}	None	Cache OFF	[]			\N	{}	{}	{}	937a9d75-0f29-4ec6-95f4-a6a4e0fb3c14	success	\N	\N	53	2026-11-28 13:48:41.604	2026-11-28 13:48:41.604	a28a3539-9771-4c21-820a-d0882335d675	\N
\.

--
-- Data for Name: LiteLLM_TeamMembership; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public."LiteLLM_TeamMembership" (user_id, team_id, spend, budget_id, total_spend) FROM stdin;
\.

--
-- Data for Name: LiteLLM_UserTable; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public."LiteLLM_UserTable" (user_id, user_alias, team_id, sso_user_id, organization_id, password, teams, user_role, max_budget, spend, user_email, models, metadata, max_parallel_requests, tpm_limit, rpm_limit, budget_duration, budget_reset_at, allowed_cache_controls, model_spend, model_max_budget, created_at, updated_at, object_permission_id, policies, password_reset_required, last_breach_check_at) FROM stdin;
\.

--
-- Data for Name: LiteLLM_VerificationToken; Type: TABLE DATA; Schema: public; Owner: -
--

COPY public."LiteLLM_VerificationToken" (token, key_name, key_alias, soft_budget_cooldown, spend, expires, models, aliases, config, user_id, team_id, permissions, max_parallel_requests, metadata, blocked, tpm_limit, rpm_limit, max_budget, budget_duration, budget_reset_at, allowed_cache_controls, model_spend, model_max_budget, budget_id, organization_id, created_at, created_by, updated_at, updated_by, allowed_routes, object_permission_id, auto_rotate, key_rotation_at, last_rotation_at, rotation_count, rotation_interval, project_id, router_settings, policies, access_group_ids, last_active, agent_id, budget_limits, budget_fallbacks, key_type, settings_updated_at, tpd_limit, total_spend) FROM stdin;
7c33111fd694b8e7d21a7a0b3c8364fef019c8d6014bf884dc8d51589219c6b1	sk-...4GcA	ci	f	0	\N	{gpt-4o-mini}	{}	{}	ada	team-research	{}	4	{"tags": ["ci"]}	\N	50000	60	10	30d	2026-12-01 00:00:00	{}	{}	{}	\N	\N	2026-11-28 13:48:36.503	\N	2026-11-28 13:48:36.503	\N	{}	\N	f	\N	\N	0	\N	\N	{}	{}	{}	\N	\N	\N	{}	\N	\N	\N	0
8b253a7740af2c2a13746e76ba835d43031f0b8f1a0054128eda650d191e0d56	sk-...hg9g	notebook	f	0	\N	{}	{}	{}	ada	team-research	{}	\N	{}	\N	\N	\N	\N	\N	\N	{}	{}	{}	\N	\N	2026-11-28 13:48:36.514	\N	2026-11-28 13:48:36.514	\N	{}	\N	f	\N	\N	0	\N	\N	{}	{}	{}	\N	\N	\N	{}	\N	\N	\N	0
3a995596b913b4c21505b8e0aa62e39c5daaf6ee68f1a8c18fc9ee112a3d32ae	sk-...FSxw	bot	f	0	2036-11-25 13:48:36.536	{all-team-models}	{}	{}	bob	team-support	{}	\N	{}	\N	\N	\N	5	\N	\N	{}	{}	{}	\N	\N	2026-11-28 13:48:36.537	\N	2026-11-28 13:48:36.537	\N	{}	\N	f	\N	\N	0	\N	\N	{}	{}	{}	\N	\N	\N	{}	\N	\N	\N	0
36f8a8a3f3cd91e11af1a8a827e847b88a11135f73356eccabe0d0add861231f	sk-...8-hQ	small	f	0	\N	{fast,gone-model}	{"gpt-4o": "fast"}	{}	bob	\N	{}	\N	{}	\N	\N	\N	0.5	14d	2026-12-12 00:00:00	{}	{}	{}	budget-small	\N	2026-11-28 13:48:36.542	\N	2026-11-28 13:48:36.542	\N	{}	\N	f	\N	\N	0	\N	\N	{}	{}	{}	\N	\N	\N	{}	\N	\N	\N	0
1a0b36900024e61c0cae7816b2689d5cbd0b1a05edcd361ab0be26f5ff79153b	sk-...0J5A	blocked	f	0	\N	{}	{}	{}	bob	\N	{}	\N	{}	t	\N	\N	\N	\N	\N	{}	{}	{}	\N	\N	2026-11-28 13:48:36.545	\N	2026-11-28 13:48:36.545	\N	{}	\N	f	\N	\N	0	\N	\N	{}	{}	{}	\N	\N	\N	{}	\N	\N	\N	0
b6565ab1ccc20867b3f4200604eacf39999b41a4a6762451ddc0fbc10f874023	sk-...jk2Q	cached-prompts	f	1.25	\N	{gpt-4o-mini,claude-sonnet-4-6}	{}	{}	ada	\N	{}	\N	{}	\N	\N	\N	3	\N	\N	{}	{}	{}	\N	\N	2026-11-28 13:48:36.561	\N	2026-11-28 13:48:36.561	\N	{}	\N	f	\N	\N	0	\N	\N	{}	{}	{}	\N	\N	\N	{}	\N	\N	\N	0
\.

--
-- Name: LiteLLM_ModelTable_id_seq; Type: SEQUENCE SET; Schema: public; Owner: -
--

--
-- PostgreSQL database dump complete
--

