"""The life of the process: build the application, listen, warm up, reload, drain.

app               the application, assembled from settings
event_loop        uvloop, where it is installed
connections       clients that open connections and say nothing
fast_router       the API's paths, without aiohttp's slower way to them
warm_up_budgets   what is read and derived before the process says that it is ready
first_series      metrics that are there before the first request
serve             start, ready, drain, exit
reload            a changed configuration, taken over while requests go on
process_end       an exit that waits for no thread
"""
