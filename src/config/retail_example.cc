#include "config/retail_example.h"

namespace weir::config {

std::string_view RetailContractText() {
  return R"yaml(# What an event of the shop must look like, for both pipelines of this folder.
name: retail_event
version: 1
event_type: event_type       # the field that says what kind of event it is
event_time: event_time       # the field that says when it happened
unknown_fields: ignore       # further JSON fields are left out

# In the order of the table's columns. "required" means there and not null.
fields:
  event_id:       {type: string, required: true, not_blank: true}
  event_time:     {type: timestamp, required: true}         # ISO 8601 with a zone
  ingestion_time: {type: timestamp, from: ingestion}        # when Weir took the event in
  user_id:        {type: string, required: true, not_blank: true}
  session_id:     {type: string, required: true, not_blank: true}
  event_type:     {type: string, required: true, not_blank: true}
  page_url:       {type: string, required: true, not_blank: true}
  referrer_url:   string
  search_query:   string
  product_id:     string
  product_name:   string
  category:       string
  cart_id:        string
  order_id:       string
  quantity:       {type: int, min: 1}                       # the bound is our choice
  price:          {type: "decimal(10,2)", min: 0}           # the bound is our choice
  device_type:    {type: string, required: true, not_blank: true}
  browser:        {type: string, required: true, not_blank: true}
  traffic_source: {type: string, required: true, not_blank: true}

# What events of one type need besides. Fields that do not belong to a type need not be null.
event_types:
  page_view:        {}
  search:           {needs: [search_query]}
  product_view:     {needs: [product_id, product_name, category, price]}
  add_to_cart:      {needs: [product_id, product_name, category, price, cart_id, quantity]}
  # The needs of the last three types are our choice.
  remove_from_cart: {needs: [product_id, cart_id, quantity]}
  checkout_start:   {needs: [cart_id]}
  purchase:         {needs: [order_id, cart_id]}
)yaml";
}

std::string_view RetailPipelineText() {
  return R"yaml(# The retail job without Kafka: events come from an embedded log in a folder beside
# this file, and bad ones go to a quarantine table. `weir demo` runs this pipeline.
pipeline: retail

source:
  spool: ./log
  topic: retail-clickstream-events

state: ./state
contract: retail_event.yaml

lake:
  warehouse: ./lake
  catalog: {sql: "sqlite:./lake/catalog.db"}

epoch:
  every: 1s

tables:
  retail.clickstream_events:
    from: valid
    partition_by: [day(event_time)]
  retail.quarantine:
    from: invalid

on_error: quarantine
)yaml";
}

}  // namespace weir::config
